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
}
