import FileBuilding
import Frames
import Testing

@testable import Codecs

@Suite struct PNGTests {
  @Test(arguments: [8, 16], [PixelEncoding.rgb, .grey(.full)])
  func samplesSurvive(_ bits: Int, _ encoding: PixelEncoding) throws {
    for size in JPEGTests.sizes {
      let frame = try testFrame(size.width, size.height, bits: bits, encoding: encoding)
      let bytes = try encode(frame, options: EncodeOptions(format: .png))
      let back = try decode(bytes, name: "x")
      #expect(largestDifference(frame, back) == 0)
      #expect(
        try readHeader(bytes, name: "x")
          == PictureHeader(format: .png, storedSize: size, bits: bits, orientation: .up))
    }
  }

  @Test func depthIsRoundedToWhatPNGHas() throws {
    let frame = try testFrame(40, 30, bits: 12, encoding: .rgb)
    let back = try decode(try encode(frame, options: EncodeOptions(format: .png)), name: "x")
    #expect(back.bits == 16)
    #expect(largestDifference(try back.asRGB(bits: 12), frame) == 0)
    let small = try decode(try encode(frame, options: EncodeOptions(format: .png, depth: .bits(8))), name: "x")
    #expect(largestDifference(try frame.asRGB(bits: 8), small) == 0)
  }

  @Test func profileComesBack() throws {
    let profile = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let frame = try testFrame(16, 16, encoding: .rgb, metadata: Metadata(iccProfile: profile))
    #expect(
      try decode(try encode(frame, options: EncodeOptions(format: .png)), name: "x").metadata.iccProfile == profile)
  }

  static let kinds = [
    ["-colors", "200", "-define", "png:color-type=3"], ["-interlace", "PNG"], ["-define", "png:color-type=6"],
    ["-depth", "16"],
    ["-depth", "16", "-interlace", "PNG", "-define", "png:color-type=6"], ["-colorspace", "Gray", "-depth", "4"],
    ["-colorspace", "Gray", "-depth", "16"], ["-colorspace", "Gray", "-define", "png:color-type=4"],
    ["-colors", "4", "-define", "png:color-type=3", "-interlace", "PNG"],
  ]

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"), arguments: kinds)
  func agreesWithImageMagick(_ kind: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(writePNM(try testFrame(61, 37, encoding: .rgb)), to: "in.ppm")
    try Tool("sh")("-c", "\(Tool.imageMagick) \(source) \(kind.joined(separator: " ")) \(folder("a.png"))")
    let ours = try decodeFile(folder("a.png"))
    let depth = "\(ours.bits)"
    let theirs = try readPNM(try Tool(Tool.imageMagick)(folder("a.png"), "-alpha", "off", "-depth", depth, "pnm:-"))
    #expect(largestDifference(ours, try theirs.converted(to: ours.layout)) == 0)
  }

  static let exif: [UInt8] = [
    0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
  ]

  /// A PNG file with chunks right behind its header.
  func file(_ frame: Frame, with chunks: [[UInt8]]) throws -> [UInt8] {
    var bytes = try encode(frame, options: EncodeOptions(format: .png, strip: true))
    bytes.insert(contentsOf: chunks.flatMap(\.self), at: 8 + 25)
    return bytes
  }

  /// A text that is not what a text should be.
  enum BrokenText: CaseIterable {
    case withoutEndOfKeyword, emptyKeyword, longKeyword, bomb, brokenStream, shortStream, unknownCompression
    case cutInternational, brokenInternational, long, longInternational, wrongChecksum

    var chunk: [UInt8] {
      func make(_ type: String, _ keyword: String, _ rest: [UInt8]) -> [UInt8] {
        PNGChunk.make(type, Array(keyword.utf8) + [0] + rest)
      }
      let manyLetters = [UInt8](repeating: 65, count: 200)
      return switch self {
      case .withoutEndOfKeyword: PNGChunk.make("tEXt", Array("no end".utf8))
      case .emptyKeyword: make("tEXt", "", Array("text".utf8))
      case .longKeyword: PNGChunk.make("tEXt", manyLetters + [0, 66])
      case .bomb: make("zTXt", "bomb", [0] + PNGChunk.deflatedZeros(40 << 20))
      case .brokenStream: make("zTXt", "broken", [0, 1, 2, 3, 4, 5])
      case .shortStream: make("zTXt", "early", [0] + PNGChunk.deflatedZeros(1000).dropLast(9))
      case .unknownCompression: make("zTXt", "way", [7, 1, 2])
      case .cutInternational: make("iTXt", "cut", [1])
      case .brokenInternational: make("iTXt", "cut", [1, 0, 0, 0, 9, 9, 9])
      case .long: make("tEXt", "long", [UInt8](repeating: 65, count: 17 << 20))
      case .longInternational: make("iTXt", "long", [0, 0, 0, 0] + [UInt8](repeating: 65, count: 17 << 20))
      case .wrongChecksum: make("tEXt", "sum", [66]).dropLast() + [0x55]
      }
    }
  }

  @Test(arguments: BrokenText.allCases) func brokenTextsCostTheirTextOnly(_ text: BrokenText) throws {
    let frame = try testFrame(40, 30, encoding: .rgb)
    let bytes = try file(frame, with: [text.chunk, PNGChunk.make("eXIf", Self.exif)])
    let back = try decode(bytes, name: "x")
    #expect(largestDifference(back, try frame.oriented(.rotated90)) == 0, "Exif, which follows, is still read")
    #expect(try readHeader(bytes, name: "x").orientation == .rotated90)
  }

  @Test func thousandsOfTextsAreFine() throws {
    let frame = try testFrame(40, 30, encoding: .rgb)
    let texts = (0..<20_000).map { PNGChunk.make("tEXt", Array("k\($0)".utf8) + [0, 65]) }
    let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    let last = PNGChunk.make("iTXt", Array(PNGEncoder.xmpKeyword.utf8) + [0, 0, 0, 0, 0] + xmp)
    let back = try decode(try file(frame, with: texts + [last]), name: "x")
    #expect(largestDifference(back, frame) == 0)
    #expect(back.metadata.xmp == xmp)
  }

  /// ImageMagick's way of keeping what JPEG has in APP1 and others: a text of hexadecimal digits.
  @Test(arguments: ["exif", "APP1"], ["tEXt", "zTXt", "iTXt"])
  func rawProfilesAreHonoured(_ profile: String, _ kind: String) throws {
    let frame = try testFrame(40, 30, encoding: .rgb)
    let contents = Array("Exif".utf8) + [0, 0] + Self.exif
    let digits = contents.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let lines = stride(from: 0, to: digits.count, by: 72).map { start in
      String(digits.dropFirst(start).prefix(72))
    }
    let text = Array("\n\(profile)\n      \(contents.count)\n\(lines.joined(separator: "\n"))\n".utf8)
    let keyword = Array("Raw profile type \(profile)".utf8) + [0]
    let chunk =
      switch kind {
      case "tEXt": PNGChunk.make(kind, keyword + text)
      case "zTXt": PNGChunk.make(kind, keyword + [0] + PNGChunk.stored(text))
      default: PNGChunk.make(kind, keyword + [1, 0, 0, 0] + PNGChunk.stored(text))
      }
    let back = try decode(try file(frame, with: [chunk]), name: "x")
    #expect(back.metadata.exif == Self.exif)
    #expect(largestDifference(back, try frame.oriented(.rotated90)) == 0)
    // What stands in its own chunk is newer.
    let own = Self.exif.map { $0 == 6 ? UInt8(3) : $0 }
    let both = try decode(try file(frame, with: [chunk, PNGChunk.make("eXIf", own)]), name: "x")
    #expect(both.metadata.exif == own)
  }

  @Test(arguments: ["", "\nexif\n", "\nexif\n      900\n4578", "\nexif\n -5\n45", "\nexif\n 4\nzzzzzzzz", "exif 8 12"])
  func brokenRawProfilesAreLeftOut(_ text: String) throws {
    let frame = try testFrame(40, 30, encoding: .rgb)
    let chunk = PNGChunk.make("tEXt", Array("Raw profile type exif".utf8) + [0] + Array(text.utf8))
    let back = try decode(try file(frame, with: [chunk]), name: "x")
    #expect(back.metadata.exif == nil)
    #expect(largestDifference(back, frame) == 0)
  }

  /// ImageMagick writes Exif behind the samples.
  @Test(.enabled(if: Tool.has(Tool.imageMagick, "exiftool"), "needs imagemagick and exiftool"))
  func exifBehindTheSamplesIsRead() throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(40, 24, encoding: .rgb)
    let photo = try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg, quality: 100)), to: "a.jpg")
    try Tool("exiftool")("-overwrite_original", "-n", "-IFD0:Orientation=6", photo)
    try Tool(Tool.imageMagick)(photo, folder("a.png"))
    #expect(try decodeFile(folder("a.png")).size == Size(width: 24, height: 40))
  }
}
