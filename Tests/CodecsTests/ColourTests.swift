import Frames
import Testing

@testable import Codecs

@Suite struct ColourTests {
  /// Display P3: primaries by number as HEIF has them.
  static let p3 = ColourProfile.make(colourPrimaries: 12)

  private func flat(_ rgb: [Int], profile: [UInt8]?, bits: Int = 16) throws -> Frame {
    let planes = try rgb.map { value in try Plane(width: 4, height: 4, bits: bits) { _, _ in value } }
    return Frame(planes: planes, encoding: .rgb, name: "flat", metadata: Metadata(iccProfile: profile))
  }

  /// sRGB's red is (0.9175, 0.2003, 0.1386) in Display P3; white and grey stay what they are.
  @Test func knownColoursLandWhereTheyShould() throws {
    let reference = try flat([0, 0, 0], profile: Self.p3)
    let red = try convert(try flat([65_535, 0, 0], profile: nil), toProfileOf: reference)
    for (plane, expected) in zip(red.planes, [0.9175, 0.2003, 0.1386]) {
      #expect(abs(Double(plane[0, 0]) / 65_535 - expected) < 0.004)
    }
    #expect(red.metadata.iccProfile == Self.p3)
    let grey = try convert(try flat([30_000, 30_000, 30_000], profile: nil), toProfileOf: reference)
    for plane in grey.planes { #expect(abs(plane[0, 0] - 30_000) < 130) }
  }

  @Test func profilesThatMeanTheSameCostNothing() throws {
    let frame = try testFrame(32, 16, chroma: PlaneGrid(scaleX: 2, scaleY: 2))
    var other = frame.metadata
    other.iccProfile = Self.p3
    let reference = Frame(
      planes: frame.planes, grids: frame.grids, encoding: frame.encoding, name: "p3", metadata: other)
    let there = try convert(frame, toProfileOf: reference)
    #expect(there.layout == frame.layout && largestDifference(there, frame) > 0)
    #expect(largestDifference(try convert(frame, toProfileOf: frame), frame) == 0)
    let back = try convert(there, toProfileOf: frame)
    #expect(meanDifference(back, frame) < 3)
  }

  @Test func whatCannotBeConvertedIsRefusedInWords() throws {
    let reference = try flat([0, 0, 0], profile: Self.p3)
    #expect(throws: CodecError.colourConversion(name: "flat", why: "its colour profile cannot be read")) {
      try convert(try flat([1, 2, 3], profile: [1, 2, 3]), toProfileOf: reference)
    }
    let grey = try testFrame(8, 8, bits: 16, encoding: .grey(.full))
    #expect(throws: CodecError.colourConversion(name: "test", why: "it is grey and the reference is not")) {
      try convert(grey, toProfileOf: reference)
    }
  }

  /// The profile that we make is read as what it is by others.
  @Test(.enabled(if: Tool.has("exiftool"), "needs libimage-exiftool-perl")) func profilesTravelInEveryFormat() throws {
    let folder = try TemporaryFolder()
    let frame = try testFrame(32, 32, encoding: .rgb, metadata: Metadata(iccProfile: Self.p3))
    for format in ImageFormat.allCases where format != .raw {
      let bytes = try encode(frame, options: EncodeOptions(format: format, quality: 100))
      #expect(try decode(bytes, name: "x").metadata.iccProfile == Self.p3, "\(format)")
      let path = try folder.write(bytes, to: "a.\(format.rawValue)")
      guard format != .jpegXL else { continue }
      #expect(try exifTool(path).keys.contains { $0.hasPrefix("ICC") }, "\(format)")
    }
  }

  /// A plate must not fail for the sake of its profile.
  @Test(arguments: ImageFormat.allCases.filter { $0 != .raw }) func oddProfilesDoNotHinder(_ format: ImageFormat) throws
  {
    let grey = try testFrame(16, 16, encoding: .grey(.full), metadata: Metadata(iccProfile: Self.p3))
    let back = try decode(try encode(grey, options: EncodeOptions(format: format)), name: "x")
    #expect(back.metadata.iccProfile == nil)
    let broken = try testFrame(16, 16, encoding: .rgb, metadata: Metadata(iccProfile: [1, 2, 3]))
    _ = try encode(broken, options: EncodeOptions(format: format))
  }

  /// A grey ramp and colour bars survive every format within one level, but for what lossy coding does to edges.
  @Test(arguments: ImageFormat.allCases.filter { $0 != .raw }) func rampAndBarsSurvive(_ format: ImageFormat) throws {
    let ramp = try Plane(width: 256, height: 32) { x, _ in x }
    let bars = try (0..<3).map { channel in
      try Plane(width: 256, height: 32) { x, _ in ConversionTests.bars[min(x / 32, 7)].rgb[channel] }
    }
    for planes in [[ramp, ramp, ramp], bars] {
      let frame = Frame(planes: planes, encoding: .rgb, name: "bars")
      let back = try decode(try encode(frame, options: EncodeOptions(format: format, quality: 100)), name: "x").asRGB()
      for bar in 0..<8 {
        for plane in 0..<3 {
          #expect(abs(frame.planes[plane][bar * 32 + 16, 16] - back.planes[plane][bar * 32 + 16, 16]) <= 1, "\(bar)")
        }
      }
    }
  }
}
