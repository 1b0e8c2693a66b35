import Frames
import Testing

@testable import Codecs

@Suite struct JPEGTests {
  static let grids = [
    PlaneGrid.full, PlaneGrid(scaleX: 2, scaleY: 1), PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 1, scaleY: 2),
    PlaneGrid(scaleX: 4, scaleY: 1),
  ]
  static let sizes = [
    Size(width: 1, height: 1), Size(width: 17, height: 13), Size(width: 64, height: 64), Size(width: 63, height: 31),
    Size(width: 130, height: 97),
  ]

  @Test(arguments: grids, sizes)
  func planesSurvive(_ chroma: PlaneGrid, _ size: Size) throws {
    let frame = try testFrame(size.width, size.height, chroma: chroma)
    let bytes = try encode(frame, options: EncodeOptions(format: .jpeg, quality: 100))
    let back = try decode(bytes, name: "x")
    #expect(back.size == size)
    #expect(back.encoding == .yCbCr(.bt601, .full))
    #expect(largestDifference(frame, back) <= 3)
    let header = try readHeader(bytes, name: "x")
    #expect(header == PictureHeader(format: .jpeg, storedSize: size, bits: 8, orientation: .up))
  }

  @Test func greyStaysGrey() throws {
    let frame = try testFrame(61, 47, encoding: .grey(.full))
    let back = try decode(try encode(frame, options: EncodeOptions(format: .jpeg, quality: 100)), name: "x")
    #expect(largestDifference(frame, back) <= 2)
  }

  /// The grid that a turned 4:2:0 picture of odd size ends up with is none that JPEG has.
  @Test func turnedChromaIsMovedToJPEGsGrid() throws {
    let frame = try testFrame(61, 47, chroma: PlaneGrid(scaleX: 2, scaleY: 2))
    let turned = try frame.oriented(.rotated180)
    #expect(turned.grids[1] != PlaneGrid(scaleX: 2, scaleY: 2))
    let back = try decode(try encode(turned, options: EncodeOptions(format: .jpeg, quality: 100)), name: "x")
    #expect(back.grids[1] == PlaneGrid(scaleX: 2, scaleY: 2))
    let direct = try turned.converted(to: back.layout)
    #expect(largestDifference(direct, back) <= 3)
    #expect(meanDifference(try turned.asRGB(), try back.asRGB()) < 1)
  }

  @Test func deeperAndLimitedSamplesAreConverted() throws {
    let full = try testFrame(64, 48)
    let video = try full.converted(to: PixelLayout(encoding: .yCbCr(.bt709, .limited), bits: 10))
    let back = try decode(try encode(video, options: EncodeOptions(format: .jpeg, quality: 100)), name: "x")
    #expect(largestDifference(full, back) <= 3)
  }

  @Test func profileOfManySegmentsComesBack() throws {
    let profile = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
    let frame = try testFrame(16, 16, metadata: Metadata(iccProfile: profile))
    let back = try decode(try encode(frame, options: EncodeOptions(format: .jpeg)), name: "x")
    #expect(back.metadata.iccProfile == profile)
    var options = DecodeOptions()
    options.limits.maximumProfileBytes = 1000
    #expect(throws: CodecError.tooMuchMetadata(name: "x", bytes: 150_000, limit: 1000)) {
      try decode(try encode(frame, options: EncodeOptions(format: .jpeg)), name: "x", options: options)
    }
  }

  @Test(arguments: 1...8)
  func orientationIsHonoured(_ value: Int) throws {
    let frame = try testFrame(40, 24)
    let orientation = try #require(Orientation(rawValue: value))
    // A little-endian Exif block whose only entry is Orientation.
    let exif: [UInt8] =
      Array("Exif\0\0".utf8) + [
        0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, UInt8(value), 0, 0, 0,
      ]
      + [0, 0, 0, 0]
    var bytes = try encode(frame, options: EncodeOptions(format: .jpeg, quality: 100))
    bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
    let back = try decode(bytes, name: "x")
    #expect(back.metadata.storedOrientation == orientation)
    #expect(largestDifference(try frame.oriented(orientation), back) <= 3)
    #expect(try readHeader(bytes, name: "x").size == back.size)
  }

  static let switches = [
    [], ["-progressive"], ["-restart", "1"], ["-arithmetic"], ["-optimize"], ["-sample", "1x1"], ["-sample", "2x1"],
    ["-sample", "1x2"], ["-sample", "4x1"], ["-sample", "1x4"], ["-sample", "4x2"], ["-rgb"], ["-grayscale"],
    ["-sample", "3x1"], ["-sample", "2x2,1x2,1x2"],
  ]

  @Test(.enabled(if: Tool.has("cjpeg", "djpeg"), "needs libjpeg-turbo-progs"), arguments: switches)
  func agreesWithLibjpeg(_ switches: [String]) throws {
    let folder = try TemporaryFolder()
    for size in [Size(width: 131, height: 77), Size(width: 64, height: 48)] {
      let picture = try testFrame(size.width, size.height, encoding: .rgb)
      let source = try folder.write(writePNM(picture), to: "in.ppm")
      let process = try Tool("sh")
      let jpeg = folder("a.jpg")
      try process("-c", "cjpeg -quality 96 \(switches.joined(separator: " ")) -outfile \(jpeg) \(source)")
      let ours = try decodeFile(jpeg)
      let theirs = try readPNM(try Tool("djpeg")("-pnm", jpeg))
      #expect(ours.size == size)
      if switches == ["-rgb"] { #expect(ours.encoding == .rgb) }
      if theirs.encoding == .grey(.full) {
        #expect(largestDifference(ours, theirs) == 0)
      } else {
        // libjpeg repeats the chroma of 4:1:1 where we interpolate.
        let tolerance = switches == ["-sample", "4x1"] ? 24 : 2
        #expect(largestDifference(try ours.asRGB(), theirs) <= tolerance)
      }
    }
  }

  @Test(.enabled(if: Tool.has(Tool.imageMagick), "needs imagemagick")) func cmykIsRefusedInWords() throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(writePNM(try testFrame(32, 32, encoding: .rgb)), to: "in.ppm")
    let target = folder("cmyk.jpg")
    try Tool(Tool.imageMagick)(source, "-colorspace", "CMYK", target)
    #expect(throws: CodecError.unsupported(name: target, what: "CMYK colours")) { try decodeFile(target) }
  }
}
