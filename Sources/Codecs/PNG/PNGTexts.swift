import CSpng
import Frames

/// The metadata of a PNG file in texts and in what follows the samples, and the file without any text: whatever is wrong
/// with a text (a stream that is broken or inflates past the limits, a keyword without an end), it costs that text alone.
final class PNGTexts {
  /// The file without texts, for libspng, which gives up a picture over some of them.
  let rest: UnsafeBufferPointer<UInt8>
  private(set) var xmp: [UInt8]?
  /// A TIFF header and its directories: of a chunk of its own, which ImageMagick writes behind the samples, or else what
  /// it used to keep as a raw profile.
  var exif: [UInt8]? { ownExif ?? rawExif }
  /// Further frames of an animation (acTL), and colours that cICP says to be of high dynamic range.
  var lost: Set<Loss> { chunks.lost }
  /// The profile of the colour primaries that cICP names by number; nil for those of sRGB.
  var namedProfile: [UInt8]? { chunks.colourPrimaries.flatMap { ColourProfile.make(colourPrimaries: $0) } }
  private let chunks: Chunks
  private var ownExif: [UInt8]?
  private var rawExif: [UInt8]?

  private let copy: UnsafeMutableBufferPointer<UInt8>?
  private static let types = ["tEXt", "zTXt", "iTXt"].map { Array($0.utf8) }
  private static let rawProfiles = ["exif", "APP1"].map { "Raw profile type \($0)" }
  private static let signatureLength = 8

  init(of source: Source) {
    let file = source.bytes
    chunks = Chunks(of: file)
    if chunks.texts.isEmpty {
      (rest, copy) = (file, nil)
    } else {
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: chunks.kept.reduce(0) { $0 + $1.count })
      var end = 0
      for range in chunks.kept { end = copy[end...].update(fromContentsOf: file[range]) }
      (rest, self.copy) = (UnsafeBufferPointer(copy), copy)
    }
    let limit = source.options.limits.maximumMetadataBytes
    for chunk in chunks.texts { read(file[chunk], limit: limit) }
    ownExif = chunks.exif.flatMap { Self.exif(of: file[$0], limit: limit) }
  }

  deinit { copy?.deallocate() }

  /// Where a file's chunks lie, and what small ones tell.
  private struct Chunks {
    private(set) var texts: [Range<Int>] = []
    /// The stretches between the texts.
    private(set) var kept: [Range<Int>] = []
    private(set) var exif: Range<Int>?
    private(set) var colourPrimaries: Int?
    private(set) var lost: Set<Loss> = []

    init(of file: UnsafeBufferPointer<UInt8>) {
      var (position, start) = (signatureLength, 0)
      while file.count - position >= 12 {
        let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= file.count - position - 12 else { break }
        let end = position + 12 + length
        if types.contains(where: file[position + 4..<position + 8].elementsEqual) {
          texts.append(position..<end)
          kept.append(start..<position)
          start = end
        } else if exif == nil, file[position + 4..<position + 8].elementsEqual("eXIf".utf8) {
          exif = position..<end
        } else if length == 8, file[position + 4..<position + 8].elementsEqual("acTL".utf8) {
          if file[position + 8..<position + 12].contains(where: { $0 > 0 }), file[position + 11] != 1 {
            lost.insert(.furtherPictures)
          }
        } else if length == 4, file[position + 4..<position + 8].elementsEqual("cICP".utf8) {
          colourPrimaries = Int(file[position + 8])
          if TransferFunction.isHighDynamicRange(Int(file[position + 9])) { lost.insert(.highDynamicRange) }
        }
        position = end
      }
      kept.append(start..<file.count)
    }
  }

  private func read(_ chunk: Slice<UnsafeBufferPointer<UInt8>>, limit: Int) {
    let keyword = String(decoding: chunk.dropFirst(8).prefix(80).prefix { $0 != 0 }, as: UTF8.self)
    if keyword == PNGEncoder.xmpKeyword {
      xmp = xmp ?? Self.contents(of: chunk, limit: limit)
    } else if Self.rawProfiles.contains(keyword), let text = Self.contents(of: chunk, limit: limit),
      let profile = Self.rawProfile(text)
    {
      take(profile)
    }
  }

  /// What stands in a JPEG's APP1 segment.
  private func take(_ profile: [UInt8]) {
    let (exifHead, xmpHead) = (JPEGMarkers.exifName.utf8, JPEGMarkers.xmpName.utf8)
    if profile.starts(with: exifHead) {
      rawExif = rawExif ?? Array(profile.dropFirst(exifHead.count))
    } else if profile.starts(with: xmpHead) {
      xmp = xmp ?? Array(profile.dropFirst(xmpHead.count))
    } else if profile.starts(with: [0x49, 0x49, 0x2A, 0]) || profile.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      rawExif = rawExif ?? profile
    }
  }

  private static func contents(of chunk: Slice<UnsafeBufferPointer<UInt8>>, limit: Int) -> [UInt8]? {
    alone(chunk, limit: limit) { context in
      var (text, count) = (spng_text(), UInt32(1))
      guard spng_get_text(context, &text, &count) == 0, count == 1, let start = text.text else { return nil }
      return Array(UnsafeRawBufferPointer(start: start, count: text.length))
    }
  }

  private static func exif(of chunk: Slice<UnsafeBufferPointer<UInt8>>, limit: Int) -> [UInt8]? {
    alone(chunk, limit: limit) { context in
      var exif = spng_exif()
      guard spng_get_exif(context, &exif) == 0, let start = exif.data else { return nil }
      return Array(UnsafeRawBufferPointer(start: start, count: exif.length))
    }
  }

  /// Has libspng read a chunk out of a file of its own: a grey pixel and the chunk.
  private static func alone<R>(
    _ chunk: Slice<UnsafeBufferPointer<UInt8>>, limit: Int, _ body: (OpaquePointer) -> R?
  ) -> R? {
    guard chunk.count <= limit else { return nil }
    let file = head + chunk + tail
    return file.withUnsafeBufferPointer { file in
      guard let context = spng_ctx_new(0) else { return nil }
      defer { spng_ctx_free(context) }
      guard spng_set_chunk_limits(context, limit, 2 * limit) == 0,
        spng_set_png_buffer(context, file.baseAddress, file.count) == 0
      else { return nil }
      return body(context)
    }
  }

  private static let head: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0,
    0,
    0, 0, 0x3A, 0x7E, 0x9B, 0x55,
  ]
  private static let tail: [UInt8] = [
    0, 0, 0, 10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xAF, 0xA4, 0x71, 0, 0, 0, 0,
    0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
  ]

  /// A newline, the profile's name, its length in bytes, and the bytes as hexadecimal digits, each on lines of their own:
  /// what ImageMagick's `coders/png.c` writes. Nil where it is anything else.
  static func rawProfile(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.drop { $0 == 0x0A }.split(separator: 0x0A, maxSplits: 2)
    guard lines.count == 3, let length = Int(String(decoding: lines[1].drop { $0 == 0x20 }, as: UTF8.self)),
      length > 0, length <= lines[2].count / 2
    else { return nil }
    var digits: [UInt8] = []
    for character in lines[2] where ![0x0A, 0x0D, 0x20].contains(character) {
      guard let digit = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
      digits.append(UInt8(digit))
    }
    guard digits.count >= 2 * length else { return nil }
    return (0..<length).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }
}
