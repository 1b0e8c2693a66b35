import Foundation
import Frames
import Testing

@testable import Codecs

/// A DNG file (Adobe DNG 1.4) with a mosaic of red, green, green, blue: what a camera would see of a flat colour.
func makeDNG(_ size: Size, linear: (red: Double, green: Double, blue: Double), orientation: Int = 1) -> [UInt8] {
  let (black, white) = (512, 16_383)
  func short(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
  func long(_ value: Int) -> [UInt8] { short(value & 0xFFFF) + short(value >> 16 & 0xFFFF) }
  // What lies beside the directory, after it.
  var extra: [UInt8] = []
  var entries: [(tag: Int, bytes: [UInt8])] = []
  let entryCount = 23
  let extraStart = 8 + 2 + 12 * entryCount + 4
  func add(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) {
    var field = value
    if value.count > 4 {
      field = long(extraStart + extra.count)
      extra += value + (value.count % 2 == 1 ? [0] : [])
    }
    entries.append(
      (tag, short(tag) + short(type) + long(count) + field + [UInt8](repeating: 0, count: 4 - field.count)))
  }
  func rationals(_ values: [Int], signed: Bool = false) -> [UInt8] {
    values.flatMap { long($0 & 0xFFFF_FFFF) + long(10_000) }
  }
  func text(_ value: String) -> [UInt8] { Array(value.utf8) + [0] }
  add(254, 4, 1, long(0))
  add(256, 4, 1, long(size.width))
  add(257, 4, 1, long(size.height))
  add(258, 3, 1, short(16))
  add(259, 3, 1, short(1))
  add(262, 3, 1, short(32_803))
  add(271, 2, 6, text("Maker"))
  add(272, 2, 6, text("Model"))
  let stripOffset = entries.count
  add(273, 4, 1, long(0))
  add(274, 3, 1, short(orientation))
  add(277, 3, 1, short(1))
  add(278, 4, 1, long(size.height))
  add(279, 4, 1, long(2 * size.area))
  add(284, 3, 1, short(1))
  add(33_421, 3, 2, short(2) + short(2))
  add(33_422, 1, 4, [0, 1, 1, 2])
  add(50_706, 1, 4, [1, 4, 0, 0])
  add(50_708, 2, 12, text("Maker Model"))
  add(50_714, 3, 1, short(black))
  add(50_717, 3, 1, short(white))
  // From XYZ to the camera: sRGB's own matrix, so that the sensor sees linear sRGB (IEC 61966-2-1).
  add(50_721, 10, 9, rationals([32_405, -15_371, -4985, -9693, 18_760, 416, 556, -2040, 10_572]))
  add(50_728, 5, 3, rationals([5000, 10_000, 6000]))
  add(50_778, 3, 1, short(21))
  assert(entries.count == entryCount)
  let data = extraStart + extra.count
  entries[stripOffset].bytes.replaceSubrange(8..<12, with: long(data))
  var bytes: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0] + short(entryCount)
  for entry in entries { bytes += entry.bytes }
  bytes += long(0) + extra
  // The sensor's sensitivity is the neutral's.
  let levels = [linear.red * 0.5, linear.green, linear.green, linear.blue * 0.6].map {
    Int((Double(black) + $0 * Double(white - black)).rounded())
  }
  for y in 0..<size.height {
    for x in 0..<size.width { bytes += short(levels[y % 2 * 2 + x % 2]) }
  }
  return bytes
}

@Suite struct RAWTests {
  @Test func greyIsGreyAndAsBrightAsItWas() throws {
    let size = Size(width: 96, height: 64)
    let bytes = makeDNG(size, linear: (0.4, 0.4, 0.4))
    let header = try readHeader(bytes, name: "a.dng")
    #expect(header == PictureHeader(format: .raw, storedSize: size, bits: 16, orientation: .up))
    let frame = try decode(bytes, name: "a.dng")
    #expect(frame.bits == 16 && frame.encoding == .rgb && frame.size == size)
    // sRGB's curve.
    let expected = 1.055 * pow(0.4, 1 / 2.4) - 0.055
    for plane in frame.planes { #expect(abs(Double(plane[40, 30]) / 65_535 - expected) < 0.02) }
  }

  /// Twice the light is twice the light, in every frame of a burst.
  @Test func exposureIsTheFilesOwn() throws {
    func level(_ value: Double) throws -> Double {
      let frame = try decode(makeDNG(Size(width: 64, height: 64), linear: (value, value, value)), name: "a")
      let code = Double(frame.planes[1][30, 30]) / 65_535
      return pow((code + 0.055) / 1.055, 2.4)
    }
    #expect(abs(try level(0.4) / level(0.2) - 2) < 0.02)
  }

  @Test func oneWhiteBalanceServesTheBurst() throws {
    let bytes = makeDNG(Size(width: 64, height: 64), linear: (0.3, 0.3, 0.3))
    let balance = try #require(try rawWhiteBalance(of: bytes, name: "a"))
    #expect(abs(balance.red / balance.green - 2) < 0.01 && abs(balance.blue / balance.green - 1 / 0.6) < 0.01)
    var options = DecodeOptions()
    options.rawWhiteBalance = balance
    #expect(largestDifference(try decode(bytes, name: "a", options: options), try decode(bytes, name: "a")) == 0)
    options.rawWhiteBalance?.red *= 1.5
    let warm = try decode(bytes, name: "a", options: options)
    #expect(warm.planes[0][30, 30] > warm.planes[2][30, 30] + 4000)
    #expect(try rawWhiteBalance(of: try encode(warm, options: EncodeOptions(format: .png)), name: "a") == nil)
  }

  @Test func orientationIsHonoured() throws {
    let bytes = makeDNG(Size(width: 96, height: 64), linear: (0.4, 0.3, 0.2), orientation: 6)
    let frame = try decode(bytes, name: "a")
    #expect(frame.size == Size(width: 64, height: 96))
    #expect(frame.metadata.storedOrientation == .rotated90)
  }

  @Test func truncatedFilesAreRefused() throws {
    let bytes = makeDNG(Size(width: 64, height: 64), linear: (0.4, 0.4, 0.4))
    for length in [9, 100, 300, 600, bytes.count / 2, bytes.count - 100] {
      #expect(throws: CodecError.self, "\(length)") { try decode(Array(bytes[..<length]), name: "a") }
    }
  }

  @Test(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) func metadataGoToThePlate() throws {
    let folder = try TemporaryFolder()
    let dng = try folder.write(makeDNG(Size(width: 64, height: 64), linear: (0.4, 0.4, 0.4)), to: "a.dng")
    try Tool("exiftool")(
      "-overwrite_original", "-n", "-ExposureTime=0.02", "-GPSLatitude=48.8584", "-GPSLatitudeRef=N", dng)
    let plate = try folder.write(
      try encode(try decodeFile(dng), options: EncodeOptions(format: .jpeg)), to: "plate.jpg")
    let tags = try exifTool(plate)
    #expect(tags["IFD0:Make"] == "Maker" && tags["ExifIFD:ExposureTime"] == "0.02")
    #expect(tags["GPS:GPSLatitude"]?.hasPrefix("48.85") == true)
    #expect(!tags.keys.contains { $0.hasSuffix(":DNGVersion") || $0.hasSuffix(":CFAPattern2") })
  }
}
