import Codecs
import FileBuilding
import Foundation
import Frames
import SystemPackage
import Testing

@testable import CleanPlate

@Suite struct PictureFactsTests {
  /// Facts are read out of a file's beginning, and of more where that does not hold them all.
  @Test(arguments: [0, 150_000, 1_300_000])
  func momentsOfFilesWithLongProfilesAreKnown(_ profileBytes: Int) throws {
    let temporary = try TemporaryFolder()
    let exif = ExifBlock(picture: [0x0110: .text("Model 1")], exif: [0x9003: .text("2024:05:06 12:00:07")])
    let metadata = Metadata(
      iccProfile: profileBytes == 0 ? nil : (0..<profileBytes).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) },
      exif: exif.bytes)
    let plane = try Plane(width: 32, height: 24) { x, y in x * y % 256 }
    let frame = Frame(planes: [plane], encoding: .grey(.full), name: "a", metadata: metadata)
    let path = temporary.url.appending(path: "a.jpg")
    try Data(encode(frame, options: EncodeOptions(format: .jpeg))).write(to: path)
    let facts = try #require(PictureFacts(.file(path: FilePath(path.path))))
    #expect(facts.size == Size(width: 32, height: 24) && facts.capture?.camera == "Model 1" && !facts.isPlate)
  }
}
