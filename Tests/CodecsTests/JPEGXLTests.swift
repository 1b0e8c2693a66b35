import Frames
import Testing

@testable import Codecs

@Suite struct JPEGXLTests {
  @Test(arguments: [8, 16], [PixelEncoding.rgb, .grey(.full)])
  func losslessIsLossless(_ bits: Int, _ encoding: PixelEncoding) throws {
    for size in JPEGTests.sizes {
      let frame = try testFrame(size.width, size.height, bits: bits, encoding: encoding)
      let bytes = try encode(frame, options: EncodeOptions(format: .jpegXL, quality: 100))
      let back = try decode(bytes, name: "x")
      #expect(largestDifference(frame, back) == 0)
      #expect(back.metadata.iccProfile == nil)
      #expect(
        try readHeader(bytes, name: "x")
          == PictureHeader(format: .jpegXL, storedSize: size, bits: bits, orientation: .up))
    }
  }

  @Test(arguments: [8, 16]) func lossyComesClose(_ bits: Int) throws {
    let frame = try testFrame(130, 97, bits: bits, encoding: .rgb)
    let back = try decode(try encode(frame, options: EncodeOptions(format: .jpegXL, quality: 95)), name: "x")
    #expect(meanDifference(frame, back) < 3 * Double(1 << (bits - 8)))
  }

  @Test(
    .enabled(if: Tool.has("cjxl", "djxl"), "needs libjxl-tools"), arguments: ["-d 0", "-d 1", "-d 0 --container=1"])
  func agreesWithTheReferenceProgram(_ switches: String) throws {
    let folder = try TemporaryFolder()
    for bits in [8, 16] {
      let frame = try testFrame(61, 37, bits: bits, encoding: .rgb)
      let source = try folder.write(try encode(frame, options: EncodeOptions(format: .png, strip: true)), to: "in.png")
      try Tool("sh")("-c", "cjxl \(source) \(folder("a.jxl")) \(switches)")
      try Tool("djxl")(folder("a.jxl"), folder("a.png"))
      let ours = try decodeFile(folder("a.jxl"))
      #expect(largestDifference(ours, try decodeFile(folder("a.png")).asRGB(bits: ours.bits)) <= 1)
    }
  }

  @Test(.enabled(if: Tool.has("cjxl"), "needs libjxl-tools")) func orientationIsAppliedOnce() throws {
    let folder = try TemporaryFolder()
    let photo = try photographWithMetadata(folder)
    try Tool("cjxl")(photo, folder("a.jxl"), "--lossless_jpeg=0", "-d", "0.3")
    let ours = try decodeFile(folder("a.jxl"))
    let jpeg = try decodeFile(photo)
    #expect(ours.size == jpeg.size)
    #expect(meanDifference(ours, try jpeg.asRGB()) < 4)
  }
}
