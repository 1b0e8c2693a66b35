import Frames

/// The first line of a YUV4MPEG2 stream (y4m(5) of mjpegtools, with the tags that FFmpeg adds).
struct Y4MHeader: Equatable {
  var size: Size
  /// In frames per second; 25 where the stream does not tell.
  var rate: Double
  var encoding: PixelEncoding
  var bits: Int
  /// Of the planes that are kept; `skippedPlanes` of full size follow.
  var grids: [PlaneGrid]
  var skippedPlanes = 0
  /// False where the stream says otherwise.
  var hasSquarePixels = true

  /// What a header may not be; `unsupported` and `damaged` become errors of those names.
  enum Failure: Error, Equatable {
    case unsupported(String)
    case damaged(String)
  }

  static let magic = "YUV4MPEG2"
  /// Longest header line, in bytes.
  static let limit = 1024

  /// - Parameter colours: what is known of the colours from elsewhere; it wins over what the size suggests.
  init(_ line: String, colours: VideoColours) throws(Failure) {
    let words = line.split(separator: " ")
    guard words.first.map(String.init) == Y4MHeader.magic else {
      throw .damaged("it does not begin with \(Y4MHeader.magic)")
    }
    var (width, height, chroma) = (0, 0, "420jpeg")
    var range = SampleRange.limited
    rate = 25
    for word in words.dropFirst() {
      let value = String(word.dropFirst())
      switch word.first {
      case "W": width = Int(value) ?? 0
      case "H": height = Int(value) ?? 0
      case "C": chroma = value
      case "F": rate = Y4MHeader.ratio(value) ?? rate
      case "A": hasSquarePixels = Y4MHeader.ratio(value) ?? 1 == 1
      case "I" where ["t", "b", "m"].contains(value):
        throw .unsupported("interlaced video (deinterlace it before, as by ffmpeg -vf bwdif)")
      case "X" where value == "COLORRANGE=FULL": range = .full
      default: break
      }
    }
    guard width > 0, height > 0 else { throw .damaged("its header names no size") }
    size = Size(width: width, height: height)
    // What players assume of untagged video.
    let matrix = colours.matrix ?? (height >= 720 || width >= 1280 ? .bt709 : .bt601)
    range = colours.range ?? range
    encoding = .yCbCr(matrix, range)
    let (name, depth) = Y4MHeader.depth(of: chroma)
    guard let depth else { throw .unsupported("chroma format \(chroma)") }
    bits = depth
    switch name {
    case "420", "420jpeg": grids = Y4MHeader.grids(PlaneGrid(scaleX: 2, scaleY: 2))
    // Chroma level with the left luma sample, as in MPEG-2 and everything after it.
    case "420mpeg2": grids = Y4MHeader.grids(PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0.5))
    case "420paldv": grids = Y4MHeader.grids(PlaneGrid(scaleX: 2, scaleY: 2, offsetX: 0, offsetY: 0))
    case "422": grids = Y4MHeader.grids(PlaneGrid(scaleX: 2, scaleY: 1, offsetX: 0, offsetY: 0))
    case "411": grids = Y4MHeader.grids(PlaneGrid(scaleX: 4, scaleY: 1, offsetX: 0, offsetY: 0))
    case "440": grids = Y4MHeader.grids(PlaneGrid(scaleX: 1, scaleY: 2))
    case "444": grids = Y4MHeader.grids(.full)
    case "444alpha":
      grids = Y4MHeader.grids(.full)
      skippedPlanes = 1
    case "mono":
      grids = [.full]
      encoding = .grey(range)
    default: throw .unsupported("chroma format \(chroma)")
    }
  }

  private static func grids(_ chroma: PlaneGrid) -> [PlaneGrid] { [.full, chroma, chroma] }

  /// "420p10" is 4:2:0 with 10 bits, "mono16" grey with 16; nil bits for what is not read.
  private static func depth(of chroma: String) -> (String, Int?) {
    for (mark, family) in [("p", ["420", "422", "444", "440"]), ("", ["mono"])] {
      for name in family where chroma.hasPrefix(name + mark) && chroma.count > (name + mark).count {
        if let bits = Int(chroma.dropFirst((name + mark).count)) { return (name, (9...16).contains(bits) ? bits : nil) }
      }
    }
    return (chroma, 8)
  }

  private static func ratio(_ text: String) -> Double? {
    let parts = text.split(separator: ":").compactMap { Double($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
    let rate = parts[0] / parts[1]
    return (0.001...10_000).contains(rate) ? rate : nil
  }
}

/// What is known of a video's colours beyond what its stream says.
package struct VideoColours: Sendable, Hashable {
  /// The matrix; nil where it is not told.
  package var matrix: YCbCrMatrix?
  /// The range; nil where it is not told.
  package var range: SampleRange?

  /// What is known of a stream's colours.
  package init(matrix: YCbCrMatrix? = nil, range: SampleRange? = nil) {
    self.matrix = matrix
    self.range = range
  }
}
