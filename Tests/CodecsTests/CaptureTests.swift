import Frames
import Testing

@testable import Codecs

@Suite struct CaptureTests {
  func capture(_ time: String, _ fraction: String? = nil) -> Capture? {
    var block = ExifBlock(
      picture: [0x010F: .text("Maker"), 0x0110: .text("Model 1")], exif: [0x9003: .text(time), 0xA431: .text("77")])
    if let fraction { block.exif[0x9291] = .text(fraction) }
    return Capture(exif: block.bytes)
  }

  @Test func timeAndCameraAreRead() throws {
    let found = try #require(capture("2024:05:06 07:08:09", "250"))
    #expect(found == Capture(time: "2024:05:06 07:08:09", subseconds: "250", camera: "Maker Model 1 77"))
    for wrong in ["", "    :  :     :  :  ", "0000:00:00 00:00:00", "yesterday at seven!!", "2024:05:06 07:08"] {
      #expect(capture(wrong) == nil)
    }
    #expect(capture("2024:05:06 07:08:09", "000")?.subseconds == nil)
  }

  @Test func subsecondsAreFractions() throws {
    let times = try ["05", "1", "25", "3"].map { try #require(capture("2024:05:06 07:08:09", $0)) }
    for (first, second) in zip(times, times.dropFirst()) { #expect(first.isBefore(second) && !second.isBefore(first)) }
    let same = try #require(capture("2024:05:06 07:08:09", "100"))
    #expect(same.isSameMoment(as: times[1]) && !same.isSameMoment(as: times[0]))
  }

  /// Whatever is cut off or pointed elsewhere.
  @Test func brokenBlocksAreSurvived() throws {
    let block = ExifBlock(picture: [0x0110: .text("Model 1")], exif: [0x9003: .text("2024:05:06 07:08:09")]).bytes
    #expect(Capture(exif: block) != nil)
    for length in 0..<block.count { _ = Capture(exif: Array(block[..<length])) }
    for position in block.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        var bytes = block
        bytes[position] = value
        _ = Capture(exif: bytes)
      }
    }
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .webp, .heif, .avif, .jpegXL])
  func metadataAreReadWithoutSamples(_ format: ImageFormat) throws {
    let exif = ExifBlock(picture: [0x0110: .text("Model 1")], exif: [0x9003: .text("2024:05:06 07:08:09")]).bytes
    let frame = try testFrame(32, 32, metadata: Metadata(exif: exif))
    let bytes = try encode(frame, options: EncodeOptions(format: format, history: "median of 3 frames"))
    let metadata = try readMetadata(bytes, name: "x")
    #expect(metadata.capture == Capture(time: "2024:05:06 07:08:09", camera: "Model 1"))
    #expect(metadata.isPlate)
    #expect(try decode(bytes, name: "x").metadata.isPlate)
    #expect(!(try readMetadata(try encode(frame, options: EncodeOptions(format: format)), name: "x").isPlate))
    // Whoever wants to say nothing of himself still does not want his plate among his photos.
    let stripped = try encode(frame, options: EncodeOptions(format: format, history: "median of 3 frames", strip: true))
    let left = try readMetadata(stripped, name: "x")
    #expect(left.isPlate && left.capture == nil)
    #expect(try decode(stripped, name: "x").metadata.isPlate)
    let plain = try encode(frame, options: EncodeOptions(format: format, strip: true))
    #expect(!(try readMetadata(plain, name: "x").isPlate))
  }

  @Test(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) func exifBlocksAreSound() throws {
    let folder = try TemporaryFolder()
    let origin = VideoOrigin([
      "creation_time": "2024-05-06T07:08:09.000000Z", "com.apple.quicktime.creationdate": "2024-05-06T09:08:09+0200",
      "com.apple.quicktime.location.ISO6709": "-33.8568+151.2153+004.500/", "com.apple.quicktime.make": "Maker",
      "com.apple.quicktime.model": "Model 1",
    ])
    let frame = try testFrame(32, 32, metadata: Metadata(exif: origin.exif))
    let tags = try exifTool(try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), to: "a.jpg"))
    #expect(tags["ExifIFD:DateTimeOriginal"] == "2024:05:06 09:08:09")
    #expect(tags["ExifIFD:OffsetTimeOriginal"] == "+02:00")
    #expect(tags["IFD0:Make"] == "Maker" && tags["IFD0:Model"] == "Model 1")
    #expect(tags["GPS:GPSLatitudeRef"] == "S" && tags["GPS:GPSLongitudeRef"] == "E")
    #expect(abs((Double(tags["GPS:GPSLatitude"] ?? "") ?? 0) - 33.8568) < 1e-5)
    #expect(abs((Double(tags["GPS:GPSLongitude"] ?? "") ?? 0) - 151.2153) < 1e-5)
    #expect(Double(tags["GPS:GPSAltitude"] ?? "") == 4.5)
    #expect(!tags.keys.contains { $0.contains("Warning") || $0.contains("Error") })
  }

  @Test func strangeTagsOfVideosSayNothing() {
    for (key, value) in [
      ("creation_time", "1904-01-01T00:00:00Z"), ("creation_time", "soon"), ("location", "+99999+1"), ("location", "/"),
      ("location", "+48.1"), ("location", "+1e9"),
    ] {
      #expect(VideoOrigin([key[...]: value[...]]).exif == nil, "\(key) \(value)")
    }
  }
}
