import Frames
import Testing

@testable import Codecs

@Suite struct TIFFTests {
  @Test(arguments: [8, 16], [PixelEncoding.rgb, .grey(.full)])
  func samplesSurvive(_ bits: Int, _ encoding: PixelEncoding) throws {
    for size in JPEGTests.sizes {
      let frame = try testFrame(size.width, size.height, bits: bits, encoding: encoding)
      let bytes = try encode(frame, options: EncodeOptions(format: .tiff))
      let back = try decode(bytes, name: "x")
      #expect(largestDifference(frame, back) == 0)
      #expect(
        try readHeader(bytes, name: "x") == PictureHeader(format: .tiff, storedSize: size, bits: bits, orientation: .up)
      )
    }
  }

  @Test func profileComesBack() throws {
    let profile = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let frame = try testFrame(16, 16, encoding: .rgb, metadata: Metadata(iccProfile: profile))
    for strip in [false, true] {
      let bytes = try encode(frame, options: EncodeOptions(format: .tiff, strip: strip))
      #expect(try decode(bytes, name: "x").metadata.iccProfile == profile)
    }
  }

  static let compressions = ["None", "LZW", "Zip", "RLE"]
  static let kinds = [
    "-depth 8", "-depth 16", "-depth 8 -define tiff:tile-geometry=32x16", "-depth 16 -interlace plane",
    "-depth 8 -interlace plane -define tiff:tile-geometry=16x16", "-endian MSB -depth 16", "-colors 100 -type Palette",
    "-colorspace Gray -depth 8", "-colorspace Gray -depth 4",
    "-colorspace Gray -depth 16 -define quantum:polarity=min-is-white",
    "-alpha set -depth 16",
  ]

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"), arguments: compressions, kinds)
  func agreesWithImageMagick(_ compression: String, _ kind: String) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(writePNM(try testFrame(61, 37, encoding: .rgb)), to: "in.ppm")
    try Tool("sh")("-c", "\(Tool.imageMagick) \(source) \(kind) -compress \(compression) \(folder("a.tif"))")
    let ours = try decodeFile(folder("a.tif"))
    let theirs = try readPNM(
      try Tool(Tool.imageMagick)(folder("a.tif"), "-alpha", "off", "-depth", "\(ours.bits)", "pnm:-"))
    // libtiff cuts the 16 bits of a palette's colours where ImageMagick rounds them.
    let tolerance = kind.contains("Palette") ? 1 : 0
    #expect(largestDifference(ours, try theirs.converted(to: ours.layout)) <= tolerance)
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func jpegInsideIsRead() throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(64, 48, encoding: .rgb)
    let source = try folder.write(writePNM(frame), to: "in.ppm")
    try Tool(Tool.imageMagick)(source, "-quality", "98", "-compress", "JPEG", folder("a.tif"))
    #expect(meanDifference(try decodeFile(folder("a.tif")), frame) < 3)
  }

  @Test(
    .enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"),
    arguments: [
      ("-colorspace CMYK", "CMYK colours"),
      ("-colorspace Lab", "CIE L*a*b* colours"), ("-depth 32", "32 bits a sample"),
    ])
  func otherKindsAreRefusedInWords(_ kind: (switches: String, what: String)) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(writePNM(try testFrame(32, 32, encoding: .rgb)), to: "in.ppm")
    let target = folder("a.tif")
    try Tool("sh")("-c", "\(Tool.imageMagick) \(source) \(kind.switches) \(target)")
    #expect(throws: CodecError.unsupported(name: target, what: kind.what)) { try decodeFile(target) }
  }

  @Test func floatIsRefusedInWords() throws {
    let frame = try testFrame(16, 16, bits: 16, encoding: .grey(.full))
    var bytes = try encode(frame, options: EncodeOptions(format: .tiff, strip: true))
    // The entry of Predictor (2) becomes one of SampleFormat (3, floating point).
    let entry: [UInt8] = [0x3D, 1, 3, 0, 1, 0, 0, 0, 2, 0]
    let at = try #require(bytes.indices.first { bytes[$0...].starts(with: entry) })
    bytes.replaceSubrange(at..<at + entry.count, with: [0x53, 1, 3, 0, 1, 0, 0, 0, 3, 0])
    #expect(throws: CodecError.unsupported(name: "a", what: "floating-point samples")) { try decode(bytes, name: "a") }
  }

  @Test(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl"), arguments: 1...8)
  func orientationIsHonoured(_ value: Int) throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(40, 24, encoding: .rgb)
    let path = try folder.write(try encode(frame, options: EncodeOptions(format: .tiff)), to: "a.tif")
    try Tool("exiftool")("-overwrite_original", "-n", "-IFD0:Orientation=\(value)", path)
    let back = try decodeFile(path)
    #expect(largestDifference(try frame.oriented(Orientation(rawValue: value)!), back) == 0)
    // The plate of it is upright and says so.
    let plate = try folder.write(try encode(back, options: EncodeOptions(format: .tiff)), to: "b.tif")
    #expect(try exifTool(plate)["IFD0:Orientation"] == "1")
    #expect(largestDifference(try decodeFile(plate), back) == 0)
  }

  /// Where a codec of libtiff goes on after damage and tells it as an error or a warning.
  struct Damage: Sendable, CustomTestStringConvertible {
    let compression: String
    let bytes: [UInt8]
    /// From the strip's first byte on.
    let offset: Int
    let words: String
    var testDescription: String { words }
  }

  static let damages = [
    Damage(compression: "Group4", bytes: [0, 0, 0, 0], offset: 1000, words: "Premature EOL"),
    Damage(compression: "Fax", bytes: [0, 0, 0, 0], offset: 1000, words: "Premature EOL"),
    Damage(compression: "Fax", bytes: [0, 0x10, 1, 0, 0x10, 1], offset: 1000, words: "Bad code word"),
    Damage(compression: "JPEG", bytes: [0xFF, 0xD9], offset: 8000, words: "premature end of data segment"),
    Damage(compression: "RLE", bytes: [UInt8](repeating: 0x81, count: 300), offset: 1000, words: "buffer overrun"),
  ]

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"), arguments: damages)
  func damageThatACodecTellsIsDamage(_ damage: Damage) throws {
    let folder = try TemporaryFolder()
    let path = folder("a.tif")
    let kind = ["JPEG", "RLE"].contains(damage.compression) ? "-depth 8" : "-monochrome"
    try Tool("sh")(
      "-c", "\(Tool.imageMagick) -seed 3 -size 300x200 plasma:fractal \(kind) -compress \(damage.compression) \(path)")
    var bytes = try readFile(path)
    let whole = try decode(bytes, name: "a")
    // ImageMagick writes strips first, behind the header's eight bytes.
    bytes.replaceSubrange(8 + damage.offset..<8 + damage.offset + damage.bytes.count, with: damage.bytes)
    let error = #expect(throws: CodecError.self) { try decode(bytes, name: "a") }
    guard case .damaged("a", let detail)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains(damage.words))
    #expect(try decode(bytes, name: "a", options: DecodeOptions(acceptsDamaged: true)).size == whole.size)
  }

  /// What libtiff remarks about tags says nothing against the picture.
  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"), arguments: [[0x28, 1, 3, 0, 1, 0, 0, 0, 9, 0]])
  func remarksAboutTagsAreNoDamage(_ entry: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let path = folder("a.tif")
    try Tool("sh")("-c", "\(Tool.imageMagick) -size 30x20 plasma: -depth 8 -compress None -density 72 \(path)")
    var bytes = try readFile(path)
    let whole = try decode(bytes, name: "a")
    // The unit of resolution becomes one that there is not; what was resolution becomes tags that nobody knows.
    let unit = try #require(bytes.indices.first { bytes[$0...].starts(with: entry.prefix(8)) })
    bytes.replaceSubrange(unit..<unit + entry.count, with: entry)
    for tag: [UInt8] in [[0x1A, 1, 5, 0], [0x1B, 1, 5, 0]] {
      let at = try #require(bytes.indices.first { bytes[$0...].starts(with: tag) })
      bytes.replaceSubrange(at..<at + 2, with: [tag[0], 0xFD])
    }
    #expect(largestDifference(try decode(bytes, name: "a"), whole) == 0)
  }

  /// Y, Cb, Cr of one sample a pixel, of which no second and third could be read.
  @Test func tooFewSamplesForItsColoursAreRefused() throws {
    func short(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    let entries = [(256, 16), (257, 16), (258, 8), (259, 7), (262, 6), (273, 8), (277, 1), (278, 16), (279, 8)]
    var bytes = Array("II".utf8) + short(42) + short(16) + short(0)
    bytes += [UInt8](repeating: 0xFF, count: 8) + short(entries.count)
    for (tag, value) in entries {
      for number in [tag, 3, 1, 0, value, 0] { bytes += short(number) }
    }
    bytes += [0, 0, 0, 0]
    let options = DecodeOptions(acceptsDamaged: true)
    #expect(throws: CodecError.self) { try decode(bytes, name: "x", options: options) }
  }
}
