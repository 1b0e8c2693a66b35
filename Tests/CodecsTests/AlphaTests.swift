import Frames
import Testing

@testable import Codecs

/// Pictures that are transparent in places; ImageMagick tells what was written, for our decoders drop alpha.
@Suite struct AlphaTests {
  static let size = Size(width: 61, height: 37)

  static func alpha(bits: Int) throws -> Plane {
    try Plane(width: size.width, height: size.height, bits: bits) { x, y in
      x < 20 ? 0 : x > 40 ? (1 << bits) - 1 : (x * 7 + y * 3) % (1 << bits)
    }
  }

  struct Kind: Sendable {
    let format: ImageFormat
    let encoding: PixelEncoding
    let bits: Int
    var quality = 100

    static let all: [Kind] =
      [8, 16].flatMap { bits in
        [ImageFormat.png, .tiff].flatMap { format in
          [PixelEncoding.rgb, .grey(.full)].map { Kind(format: format, encoding: $0, bits: bits) }
        }
      } + [
        Kind(format: .webp, encoding: .rgb, bits: 8), Kind(format: .webp, encoding: .rgb, bits: 8, quality: 90),
      ]
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick"), arguments: Kind.all)
  func isWrittenBesideTheColours(kind: Kind) throws {
    let frame = try testFrame(Self.size.width, Self.size.height, bits: kind.bits, encoding: kind.encoding)
    let alpha = try Self.alpha(bits: kind.bits)
    let bytes = try encode(frame, alpha: alpha, options: EncodeOptions(format: kind.format, quality: kind.quality))
    let folder = try TemporaryFolder()
    let file = try folder.write(bytes, to: "a.\(kind.format.rawValue)")
    let read = try readPNM(
      try Tool(Tool.imageMagick)(file, "-alpha", "extract", "-depth", "\(kind.bits)", "pgm:-"))
    #expect(largestDifference(read.planes[0], alpha) == 0)
    let colours = try decode(bytes, name: "a")
    #expect(colours.bits == kind.bits)
    // libwebp smooths the colours below what is transparent.
    let isExact = kind.format != .webp
    #expect(try !isExact || largestDifference(colours, frame.converted(to: colours.layout)) == 0)
  }

  @Test func followsTheDepthOfTheColours() throws {
    let frame = try testFrame(Self.size.width, Self.size.height, bits: 8, encoding: .rgb)
    let options = EncodeOptions(format: .png, depth: .bits(16))
    let shallow = try encode(frame, alpha: Self.alpha(bits: 8), options: options)
    let deep = try Frame(planes: [Self.alpha(bits: 8)], encoding: .grey(.full), name: "alpha")
      .converted(to: PixelLayout(encoding: .grey(.full), bits: 16)).planes[0]
    #expect(try shallow == encode(frame, alpha: deep, options: options))
  }

  @Test(arguments: ImageFormat.allCases.filter { !$0.holdsAlpha })
  func isRefusedByFormatsWithoutIt(format: ImageFormat) throws {
    let frame = try testFrame(Self.size.width, Self.size.height, encoding: .rgb)
    let alpha = try Self.alpha(bits: 8)
    #expect(throws: CodecError.noAlpha(format: format)) {
      try encode(frame, alpha: alpha, options: EncodeOptions(format: format))
    }
  }
}
