import Frames
import Testing

@testable import Codecs

@Suite struct ReducedDecodeTests {
  /// An Exif segment whose only entry is the orientation.
  private func stored(_ frame: Frame, _ orientation: Orientation) throws -> [UInt8] {
    let exif: [UInt8] =
      Array("Exif\0\0".utf8) + [
        0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0,
        0,
      ]
    var bytes = try encode(frame, options: EncodeOptions(format: .jpeg, quality: 90))
    bytes.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
    return bytes
  }

  @Test(arguments: 1...8, [500, 100])
  func aPartIsThatPartOfTheWhole(_ orientation: Int, _ side: Int) throws {
    let orientation = try #require(Orientation(rawValue: orientation))
    let frame = try testFrame(500, 330, chroma: PlaneGrid(scaleX: 2, scaleY: 2))
    let bytes = try stored(frame, orientation)
    let whole = try decodeReduced(bytes, name: "x", side: side)
    #expect(whole.part == whole.frame.size.bounds && whole.whole == whole.frame.size)
    #expect(
      whole.whole == (side == 500 ? Size(width: 500, height: 330) : Size(width: 125, height: 83)).oriented(orientation))
    let half = try decodeReduced(bytes, name: "x", side: side, share: 0.5)
    #expect(half.whole == whole.whole && half.frame.size == half.part.size)
    let rows = orientation.swapsAxes ? half.part.width : half.part.height
    #expect(rows == (side == 500 ? 160 : 40))
    let (plane, all) = (half.frame.planes[0], whole.frame.planes[0])
    var different = 0
    for y in 0..<half.part.height {
      for x in 0..<half.part.width where plane[x, y] != all[half.part.x + x, half.part.y + y] { different += 1 }
    }
    #expect(different == 0)
  }

  @Test func smallPicturesAreReadAsWholes() throws {
    let bytes = try encode(testFrame(60, 31), options: EncodeOptions(format: .jpeg))
    #expect(try decodeReduced(bytes, name: "x", side: 500, share: 0.5).part.height == 31)
    let png = try encode(testFrame(60, 80, encoding: .rgb), options: EncodeOptions(format: .png))
    #expect(try decodeReduced(png, name: "x", side: 500, share: 0.5).part.height == 80)
  }

  @Test(
    .enabled(if: Tool.has("cjpeg"), "needs libjpeg-turbo-progs"), arguments: [["-progressive"], ["-restart", "1"]])
  func otherScansAreReadAlike(_ switches: [String]) throws {
    let folder = try TemporaryFolder()
    let source = try folder.write(writePNM(testFrame(300, 200, encoding: .rgb)), to: "in.ppm")
    let jpeg = folder("a.jpg")
    try Tool("sh")("-c", "cjpeg -quality 90 \(switches.joined(separator: " ")) -outfile \(jpeg) \(source)")
    let bytes = try readFile(jpeg)
    let (whole, half) = try (
      decodeReduced(bytes, name: "x", side: 300), decodeReduced(bytes, name: "x", side: 300, share: 0.5)
    )
    // What later scans refine cannot be read in part.
    #expect(half.part.height == (switches == ["-progressive"] ? 200 : 96))
    #expect(half.frame.planes[0][150, 90] == whole.frame.planes[0][150, 90])
  }

  @Test func damageToThePartIsFound() throws {
    let bytes = try encode(testFrame(500, 330), options: EncodeOptions(format: .jpeg, quality: 90))
    func half(_ bytes: [UInt8]) throws -> ReducedPicture {
      try decodeReduced(bytes, name: "x", side: 500, share: 0.5)
    }
    #expect(throws: CodecError.self) { try half(Array(bytes.prefix(bytes.count / 2))) }
    #expect(throws: CodecError.self) { try half(Array(bytes.prefix(bytes.count * 9 / 10))) }
    var torn = bytes
    for k in 0..<64 { torn[bytes.count / 4 + k] = 0xFF }
    #expect(throws: CodecError.self) { try half(torn) }
    #expect(try half(bytes).part.height == 160)
  }
}
