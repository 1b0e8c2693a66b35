import Frames
import Testing

@testable import Codecs

@Suite struct WebPTests {
  @Test(arguments: JPEGTests.sizes) func lossyPlanesSurvive(_ size: Size) throws {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let frame = try testFrame(size.width, size.height, chroma: chroma)
    let bytes = try encode(frame, options: EncodeOptions(format: .webp, quality: 99))
    let back = try decode(bytes, name: "x")
    #expect(back.encoding == .yCbCr(.bt601, .limited) && back.size == size)
    #expect(meanDifference(try frame.converted(to: back.layout), back) < 2)
    #expect(
      try readHeader(bytes, name: "x") == PictureHeader(format: .webp, storedSize: size, bits: 8, orientation: .up))
  }

  @Test(arguments: JPEGTests.sizes) func losslessIsLossless(_ size: Size) throws {
    let frame = try testFrame(size.width, size.height, encoding: .rgb)
    let back = try decode(try encode(frame, options: EncodeOptions(format: .webp, quality: 100)), name: "x")
    #expect(largestDifference(frame, back) == 0)
  }

  @Test func tooLargePicturesAreRefused() throws {
    let frame = try testFrame(20_000, 1, encoding: .grey(.full))
    #expect(
      throws: CodecError.tooLargeForFormat(
        format: .webp, size: Size(width: 20_000, height: 1), maximumDimension: 16_383)
    ) { try encode(frame, options: EncodeOptions(format: .webp)) }
  }

  @Test(.enabled(if: Tool.has("dwebp"), "needs webp")) func othersReadWhatWeWrite() throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(64, 48)
    let path = try folder.write(try encode(frame, options: EncodeOptions(format: .webp, quality: 99)), to: "a.webp")
    try Tool("dwebp")(path, "-ppm", "-o", folder("a.ppm"))
    let theirs = try readPNM(try readFile(folder("a.ppm")))
    let ours = try decodeFile(path)
    #expect(meanDifference(theirs, try frame.asRGB()) < 3)
    // libwebp interpolates chroma as we do, in its own fixed point.
    #expect(largestDifference(theirs, try ours.asRGB()) <= 4)
  }

  /// As in other formats, where metadata may not be longer, either.
  @Test func tooLongProfilesAreRefused() throws {
    let frame = try testFrame(16, 16, metadata: Metadata(iccProfile: [UInt8](repeating: 7, count: 2000)))
    let bytes = try encode(frame, options: EncodeOptions(format: .webp))
    var options = DecodeOptions()
    (options.limits.maximumProfileBytes, options.limits.maximumMetadataBytes) = (1000, 1000)
    #expect(throws: CodecError.tooMuchMetadata(name: "x", bytes: 2000, limit: 1000)) {
      try decode(bytes, name: "x", options: options)
    }
  }
}
