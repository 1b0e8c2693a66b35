import Foundation
import Testing

@testable import CleanPlate

struct BurstFilesTests {
  @Test func ordersDigitsAsNumbers() {
    let names: [FilePath] = ["b/10.jpg", "b/9.jpg", "a/IMG_2 (1).jpg", "a/img_2.jpg", "a/IMG_11.jpg", "b/09.jpg"]
    #expect(
      names.sorted(by: BurstFiles.naturalOrder)
        == ["a/IMG_2 (1).jpg", "a/img_2.jpg", "a/IMG_11.jpg", "b/09.jpg", "b/9.jpg", "b/10.jpg"])
  }

  @Test func tellsPicturesByContent() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder.appending(path: "inner"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + Array(repeating: 0, count: 60)
    let files: [(String, [UInt8])] = [
      ("10", jpeg), ("9.txt", jpeg), ("a.jpg", Array("text".utf8)), (".b.jpg", jpeg), ("c.JPG", []), ("d.txt", []),
      ("e.jpg", Array("YUV4MPEG2 W1 H1".utf8)),
    ]
    for (name, bytes) in files {
      try Data(bytes).write(to: folder.appending(path: name))
    }
    let path = FilePath(folder.path)
    let found = try BurstFiles(paths: [path, path.appending("10")])
    #expect(found.pictures == [path.appending("9.txt"), path.appending("10")])
    // What is called a photo and is none is told by name.
    let unknown = BurstFiles.Skipped.Reason.unreadable(
      why: "it is not a picture of a known format (JPEG, PNG, TIFF, WebP, HEIC, AVIF, JPEG XL, cameras' RAW)")
    let empty = BurstFiles.Skipped.Reason.unreadable(why: "the file is empty")
    #expect(
      found.skipped.map(\.reason) == [.hidden, unknown, empty, .notAPicture, .video, .folder], "\(found.skipped)")
  }
}
