import Foundation
package import Frames
package import SystemPackage

/// A video file's frames by the program `ffmpeg`, which writes them uncompressed into a pipe.
///
/// Turned upright, with square pixels, progressive, in the planes of the file's own pixel format where that is planar Y'CbCr of 8 to 16
/// bits; other formats become Y'CbCr 4:2:0. High dynamic range (PQ, HLG) is taken as it is coded, not tone-mapped.
package final class FFmpegReader: FrameSource {
  /// Frames a second.
  package let rate: Double
  /// How many frames the file says that it holds; nil where it does not.
  package let expectedCount: Int?
  private let process: Subprocess
  private let reader: Y4MReader
  private let name: String
  private let options: DecodeOptions

  /// - Parameters:
  ///   - path: of a file; nothing else (no address, no playlist) is opened.
  ///   - part: the bytes of it that are the video, an MP4; nil for all.
  ///   - options: how frames are read.
  /// - Throws: `CodecError.programMissing` when `ffmpeg` is not installed.
  package init(
    path: FilePath, part: Range<Int>? = nil, options: DecodeOptions = DecodeOptions()
  ) throws(CodecError) {
    name = part == nil ? path.text : "\(path.text) video"
    self.options = options
    let input =
      if let part { Self.input(part, of: path) } else { try Self.input(path) }
    let probe = try VideoProbe(input, name: name)
    let arguments =
      ["ffmpeg", "-nostdin", "-v", "error"] + (options.acceptsDamaged ? [] : ["-xerror"])
      + ["-threads", String(Self.decodingThreads)] + input
      + ["-map", "0:v:0", "-fps_mode", "passthrough"] + (probe.hasSquarePixels ? [] : ["-vf", Self.squarePixels])
      + ["-pix_fmt", probe.outputFormat]
      + ["-f", "yuv4mpegpipe", "-strict", "-1", "pipe:1"]
    process = try Subprocess.start(arguments, name)
    do {
      reader = try Y4MReader(
        descriptor: process.output, name: name, options: options, colours: probe.colours,
        metadata: probe.metadata)
    } catch .empty {
      _ = process.wait()
      throw .damaged(name: name, detail: process.lastComplaint)
    }
    rate = probe.rate ?? reader.rate
    expectedCount = probe.frames
  }

  /// Frames that are decoded at once. As many as there are processors, which is `ffmpeg`'s own choice, wait for the one
  /// thread that writes into the pipe: with three times as many, 600 frames of 1080p took 5.4 s on two processors instead
  /// of 7.1 s. More than 16 it warns of.
  private static var decodingThreads: Int { min(3 * ProcessInfo.processInfo.activeProcessorCount, 16) }

  /// A filter that makes pixels square: the axis along which they are longer gets more of them, and an even number.
  private static let squarePixels =
    "scale=w='if(gt(sar,1),2*trunc(iw*sar/2),iw)':h='if(lt(sar,1),2*trunc(ih/sar/2),ih)':flags=bicubic+accurate_rnd,setsar=1"

  /// Options that make `ffmpeg` read this file as what it is and nothing else: left to itself it takes a name for a pattern of
  /// names where the suffix is that of a picture, and what is in a file for a list of other files.
  /// - Throws: `CodecError`.
  private static func input(_ path: FilePath) throws(CodecError) -> [String] {
    let head: [UInt8]
    do {
      head = try readHead(path)
    } catch {
      throw .damaged(name: path.text, detail: "it cannot be read")
    }
    guard let demuxer = demuxer(head) else { throw .unrecognized(name: path.text) }
    return [
      "-protocol_whitelist", "file", "-format_whitelist", demuxer, "-f", demuxer, "-i", "file:\(path.text)",
    ]
  }

  /// The same for an MP4 within a file.
  private static func input(_ part: Range<Int>, of path: FilePath) -> [String] {
    [
      "-protocol_whitelist", "file,subfile", "-format_whitelist", "mov", "-f", "mov", "-i",
      "subfile,,start,\(part.lowerBound),end,\(part.upperBound),,:file:\(path.text)",
    ]
  }

  /// What `ffmpeg` calls the format of a file that begins like this.
  private static func demuxer(_ head: [UInt8]) -> String? {
    switch (ImageFormat.sniff(head), VideoFormat.sniff(head)) {
    // Image sequences are coded as video, in the container of MP4.
    case (.heif, _), (.avif, _), (nil, .mov): "mov"
    case (nil, .matroska): "matroska"
    case (nil, .avi): "avi"
    default: nil
    }
  }

  /// The next frame, or nil at the end.
  package func next() throws(CodecError) -> Frame? {
    if let frame = try reader.next() { return frame }
    let status = process.wait()
    let complaint = process.lastComplaint
    guard options.acceptsDamaged || (status == 0 && !complaint.hasSuffix(Self.endsEarly)) else {
      throw .damaged(name: name, detail: complaint)
    }
    return nil
  }

  /// What `ffmpeg` says, as if nothing were wrong, of a Matroska or WebM file that ends before all of it was there.
  private static let endsEarly = "File ended prematurely"
}

/// What `ffprobe` says of a file's first video stream.
struct VideoProbe {
  let colours: VideoColours
  /// The profile, date and place that the frames carry, and what they lose.
  let metadata: Metadata
  let outputFormat: String
  let hasSquarePixels: Bool
  let rate: Double?
  private(set) var frames: Int?

  /// Bytes that it says at most: tags may be long.
  private static let mostText = 1 << 24

  /// - Parameters:
  ///   - input: options that name the file and its format.
  ///   - name: the path's `text`.
  init(_ input: [String], name: String) throws(CodecError) {
    let entries =
      "stream=pix_fmt,sample_aspect_ratio,color_range,color_space,color_primaries,color_transfer,avg_frame_rate,nb_frames"
      + ":format_tags:stream_tags"
    let text = try Self.ask(["-show_entries", entries], input, name)
    guard var probe = VideoProbe(output: text) else {
      throw .unsupported(name: name, what: "a video without pictures")
    }
    if probe.frames == nil {
      // Matroska does not say, and rate times duration is wrong by any factor where frames do not come evenly.
      let counted = try? Self.ask(["-count_packets", "-show_entries", "stream=nb_read_packets"], input, name)
      probe.frames = counted?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    }
    self = probe
  }

  /// What `ffprobe` answers about the first video stream, a line `key=value` for every entry.
  private static func ask(_ options: [String], _ input: [String], _ name: String) throws(CodecError) -> String {
    let process = try Subprocess.start(
      ["ffprobe", "-v", "error", "-select_streams", "v:0"] + options + ["-of", "default=noprint_wrappers=1"] + input,
      name)
    let text = String(decoding: process.readOutput(limit: mostText), as: UTF8.self)
    guard process.wait() == 0 else { throw .damaged(name: name, detail: process.lastComplaint) }
    return text
  }

  /// - Parameter output: of `ffprobe`, a line `key=value` for every entry; the first of a key counts.
  /// - Returns: nil when there is no video.
  init?(output: String) {
    var (values, tags): ([Substring: Substring], [Substring: Substring]) = ([:], [:])
    for line in output.split(separator: "\n") {
      guard let mark = line.firstIndex(of: "=") else { continue }
      let (key, value) = (line[..<mark], line[line.index(after: mark)...])
      if key.hasPrefix("TAG:") {
        tags[key.dropFirst(4)] = tags[key.dropFirst(4)] ?? value
      } else if values[key] == nil, value != "N/A" {
        values[key] = value
      }
    }
    guard let format = values["pix_fmt"].map(String.init) else { return nil }
    let isKept = VideoProbe.planarFormats.contains(format)
    outputFormat = isKept ? format : format.contains("10") || format.contains("12") ? "yuv420p10le" : "yuv420p"
    // 0:1 stands for what is not known.
    hasSquarePixels = [nil, "1:1", "0:1"].contains(values["sample_aspect_ratio"])
    let matrix: YCbCrMatrix? =
      switch values["color_space"] {
      case "bt709": .bt709
      case "smpte170m", "bt470bg", "fcc": .bt601
      case "bt2020nc": .bt2020
      default: nil
      }
    let range: SampleRange? =
      switch values["color_range"] {
      case "pc": .full
      case "tv": .limited
      default: nil
      }
    let primaries =
      switch values["color_primaries"] {
      case "bt2020": 9
      case "smpte432": 12
      default: 1
      }
    // What ffmpeg converts on the way comes out in its own defaults.
    colours = VideoColours(
      matrix: isKept ? matrix : format.hasPrefix("yuv") ? matrix : .bt601, range: isKept ? range : nil)
    metadata = Metadata(
      iccProfile: ColourProfile.make(colourPrimaries: primaries), exif: VideoOrigin(tags).exif,
      lost: ["smpte2084", "arib-std-b67"].contains(values["color_transfer"]) ? [.highDynamicRange] : [])
    rate = VideoProbe.ratio(values["avg_frame_rate"])
    frames = values["nb_frames"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
  }

  private static let planarFormats: Set<String> = {
    let families = ["yuv420p", "yuv422p", "yuv444p"]
    let deep = families.flatMap { family in ["10le", "12le", "16le"].map { family + $0 } }
    return Set(families + deep + ["yuvj420p", "yuvj422p", "yuvj444p", "gray"])
  }()

  private static func ratio(_ text: Substring?) -> Double? {
    let parts = (text ?? "").split(separator: "/").compactMap { Double($0) }
    guard parts.count == 2, parts[0] > 0, parts[1] > 0 else { return nil }
    let quotient = parts[0] / parts[1]
    return quotient.isFinite && quotient > 0 ? quotient : nil
  }
}

extension Subprocess {
  /// Starts a program of the package `ffmpeg`.
  fileprivate static func start(_ arguments: [String], _ name: String) throws(CodecError) -> Subprocess {
    do {
      return try Subprocess(arguments)
    } catch {
      switch error {
      case .missing: throw .programMissing(program: arguments[0], package: "ffmpeg", name: name)
      case .cannotStart(let errno):
        throw .damaged(name: name, detail: "\(arguments[0]) cannot be started (error \(errno))")
      }
    }
  }
}
