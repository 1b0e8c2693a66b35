import FileBuilding
import Frames
import Testing

@testable import Codecs

@Suite struct BadInputTests {
  static let formats: [ImageFormat] = [.jpeg, .png, .tiff, .webp, .heif, .avif, .jpegXL]

  @Test func emptyAndAlienBytesAreNamed() {
    #expect(throws: CodecError.empty(name: "a")) { try decode([], name: "a") }
    #expect(throws: CodecError.unrecognized(name: "a")) { try decode(Array("not a picture".utf8), name: "a") }
    #expect(throws: CodecError.empty(name: "a")) { try readHeader([], name: "a") }
  }

  @Test(arguments: formats)
  func everyTruncationIsAnError(_ format: ImageFormat) throws {
    let whole = try encode(try testFrame(33, 21), options: EncodeOptions(format: format))
    for length in stride(from: 0, to: whole.count - 4, by: [.heif, .avif].contains(format) ? 29 : 7) {
      #expect(throws: CodecError.self) { try decode(Array(whole[..<length]), name: "a") }
    }
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp])
  func halfAPictureIsTakenWhenDamageIsAccepted(_ format: ImageFormat) throws {
    let frame = try testFrame(128, 128)
    let whole = try encode(frame, options: EncodeOptions(format: format))
    let half = Array(whole[..<(whole.count * 2 / 3)])
    let back = try decode(half, name: "a", options: DecodeOptions(acceptsDamaged: true))
    #expect(back.size == frame.size)
    #expect(abs(try frame.asRGB().planes[0][5, 5] - back.asRGB().planes[0][5, 5]) < 12)
  }

  @Test(arguments: formats)
  func flippedBytesNeverCrash(_ format: ImageFormat) throws {
    let whole = try encode(try testFrame(24, 24), options: EncodeOptions(format: format))
    // Video decoders are slow to start.
    let step = [.heif, .avif].contains(format) ? 13 : 1
    for position in stride(from: 0, to: whole.count, by: step) {
      var bytes = whole
      bytes[position] ^= 0xFF
      _ = try? decode(bytes, name: "a")
      _ = try? decode(bytes, name: "a", options: DecodeOptions(acceptsDamaged: true))
    }
  }

  @Test func hugeClaimsAreRefusedBeforeAllocation() throws {
    var jpeg = try encode(try testFrame(16, 16), options: EncodeOptions(format: .jpeg))
    let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let claim = Size(width: 65_535, height: 65_535)
    #expect(throws: CodecError.tooLarge(name: "a", size: claim, limit: DecodeLimits())) { try decode(jpeg, name: "a") }
    #expect(throws: CodecError.tooLarge(name: "a", size: claim, limit: DecodeLimits())) {
      try readHeader(jpeg, name: "a")
    }
    // 100 000 pixels wide, with the checksum that its header asks for.
    let wide =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + PNGChunk.make("IHDR", [0, 1, 0x86, 0xA0, 0, 0, 0, 1, 8, 2, 0, 0, 0])
    #expect(throws: CodecError.tooLarge(name: "a", size: Size(width: 100_000, height: 1), limit: DecodeLimits())) {
      try decode(wide, name: "a")
    }
  }

  @Test func onePixelPicturesAreFine() throws {
    for format in Self.formats {
      let frame = try testFrame(1, 1)
      #expect(try decode(try encode(frame, options: EncodeOptions(format: format)), name: "a").size == frame.size)
    }
  }
}
