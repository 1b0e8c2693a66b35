import Codecs
import FileBuilding
import Foundation
import Frames
import SystemPackage
import TestScenes
import Testing

struct OtherCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func json(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: folder.url.appending(path: name))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Who asks for five of twenty photos must know that he gets all.
  @Test(arguments: [["--max-frames", "2"], ["--every", "1s"], ["--every", "1s", "--max-frames", "2"]])
  func optionsThatChooseNothingAreTold(options: [String]) throws {
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg", "--combine", "median"] + options, in: folder.url)
    #expect(outcome.status == 0 && outcome.output.contains("from 3 frames"), "\(outcome.output)")
    let names = options.filter { $0.hasPrefix("--") }.joined(separator: " and ")
    #expect(outcome.errors.contains("warning: \(names) choose"), "\(outcome.errors)")
  }

  @Test func comparesPictures() throws {
    let flat = Frame(planes: [try Plane(width: 40, height: 30) { _, _ in 100 }], encoding: .grey(.full), name: "a")
    let spot = Frame(
      planes: [try Plane(width: 40, height: 30) { x, y in x == 5 && y < 3 ? 110 : 100 }], encoding: .grey(.full),
      name: "b")
    try folder.write(try encode(flat, options: EncodeOptions(format: .png)), as: "a.png")
    try folder.write(try encode(spot, options: EncodeOptions(format: .png)), as: "b.png")
    let same = try Program.run(["compare", "a.png", "a.png", "--json"], in: folder.url)
    #expect(same.status == 0)
    let none = try #require(try JSONSerialization.jsonObject(with: Data(same.output.utf8)) as? [String: Any])
    #expect(none["psnr"] is NSNull)
    #expect(none["identical"] as? Bool == true)
    let past = try Program.run(["compare", "a.png", "b.png", "--json", "--diff", "d.png"], in: folder.url)
    #expect(past.status == 1)
    let figures = try #require(
      try JSONSerialization.jsonObject(with: Data(past.output.utf8)) as? [String: Any])
    #expect(figures["largest"] as? Double == 10)
    #expect(figures["identical"] as? Bool == false)
    #expect(figures["psnr"] is Double)
    #expect(figures["beyond"] as? Double == 3.0 / 1200)
    let heat = try decode(try readFile(FilePath(folder.path("d.png"))), name: "d.png", options: DecodeOptions())
    #expect(heat.size == Size(width: 40, height: 30))
    #expect(try Program.run(["compare", "a.png", "b.png", "--tolerance", "10"], in: folder.url).status == 0)
    #expect(try Program.run(["compare", "a.png", "b.png", "--share", "0.01"], in: folder.url).status == 0)
  }

  @Test func comparingSaysWhatCannotWork() throws {
    let small = Frame(planes: [try Plane(width: 4, height: 3) { _, _ in 1 }], encoding: .grey(.full), name: "a")
    try folder.write(try encode(small, options: EncodeOptions(format: .png)), as: "small.png")
    try folder.write(try Burst.photo(0), as: "large.jpg")
    try folder.write(Array("text".utf8), as: "text.png")
    let sizes = try Program.run(["compare", "small.png", "large.jpg"], in: folder.url)
    #expect(sizes.status == 65 && sizes.errors.contains("differ in size"))
    let text = try Program.run(["compare", "small.png", "text.png"], in: folder.url)
    #expect(text.status == 65 && text.errors.contains("text.png"))
    #expect(try Program.run(["compare", "small.png", "none.png"], in: folder.url).status == 66)
    let overwrite = try Program.run(["compare", "small.png", "small.png", "--diff", "small.png"], in: folder.url)
    #expect(overwrite.status == 64)
  }

  @Test func ranksTheBlurredFrameLast() throws {
    _ = try Burst.write(4, to: folder, prefix: "photos/")
    let sharp = try decode(try Burst.photo(2), name: "sharp", options: DecodeOptions())
    let luma = sharp.planes[0]
    let soft = try Plane(width: luma.width, height: luma.height) { x, y in
      (0..<7).map { luma[min(max(x + $0 - 3, 0), luma.width - 1), y] }.reduce(0, +) / 7
    }
    let frame = Frame(
      planes: [soft] + sharp.planes.dropFirst(), grids: sharp.grids, encoding: sharp.encoding, name: "soft")
    try folder.write(try encode(frame, options: EncodeOptions(format: .jpeg)), as: "photos/2.jpg")
    let outcome = try Program.run(["rank", "photos", "--laplacian", "edges"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("decode"), "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 4 && lines[3].hasSuffix("photos/2.jpg"), "\(outcome.output)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("edges")).sorted()
        == (0..<4).map { "laplacian_0\($0).png" })
  }

  @Test func alignsAndUsesTheReportAgain() throws {
    let files = try Burst.write(4, to: folder, prefix: "photos/")
    let aligned = try Program.run(
      ["align", "photos", "-o", "aligned", "--crop", "reference", "--reference", "0", "--report", "report.json"],
      in: folder.url)
    #expect(aligned.status == 0, "\(aligned.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("aligned")).sorted()
        == (0..<4).map { "frame_0\($0).png" })
    #expect(!aligned.errors.contains("also holds"), "\(aligned.errors)")
    let part = try Program.run(["align", files[0], files[1], "-o", "aligned"], in: folder.url)
    #expect(part.status == 0 && part.errors.contains("aligned also holds frame_02.png and 1 more"), "\(part.errors)")
    let first = try json("report.json")
    let again = try Program.run(
      ["photos", "-o", "plate.png", "--crop", "reference", "--alignment", "report.json", "--report", "again.json"],
      in: folder.url)
    #expect(again.status == 0, "\(again.errors)")
    func homographies(_ report: [String: Any]) -> [[Double]?] {
      (report["frames"] as? [[String: Any]] ?? []).map { $0["homography"] as? [Double] }
    }
    #expect(homographies(first) == homographies(try json("again.json")))
    for same in ["0", "photos/1.jpg"] {
      let outcome = try Program.run(
        ["photos", "-o", "same.png", "--alignment", "report.json", "--reference", same], in: folder.url)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let moved = try Program.run(
      ["photos", "-o", "other.png", "--alignment", "report.json", "--reference", "2"], in: folder.url)
    #expect(moved.status == 65 && moved.errors.contains("drawn in 'photos/1.jpg'"), "\(moved.errors)")
    let unmeshed = try Program.run(
      ["photos", "-o", "other.png", "--alignment", "report.json", "--mesh", "off"], in: folder.url)
    #expect(unmeshed.status == 64 && unmeshed.errors.contains("--mesh"), "\(unmeshed.errors)")
    let fewer = try Program.run(
      [files[0], files[1], "-o", "other.png", "--alignment", "report.json"], in: folder.url)
    #expect(fewer.status == 65 && fewer.errors.contains("4 frames"), "\(fewer.errors)")
    // Another burst under the same names.
    try folder.write(try Burst.photo(2, scene: Scene(seed: 77)), as: "photos/3.jpg")
    let other = try Program.run(["photos", "-o", "other.png", "--alignment", "report.json"], in: folder.url)
    #expect(other.status == 65 && other.errors.contains("3.jpg") && other.errors.contains("not the picture"))
    try folder.write(Array("{}".utf8), as: "no-report.json")
    let bad = try Program.run(["photos", "-o", "other.png", "--alignment", "no-report.json"], in: folder.url)
    #expect(bad.status == 65 && bad.errors.contains("no-report.json"), "\(bad.errors)")
  }

  @Test func keepsEachSessionInAFolderOfItsOwn() throws {
    _ = try Burst.write(3, to: folder, prefix: "photos/")
    for _ in 0..<2 {
      let outcome = try Program.run(["photos", "-o", "plate.jpg", "--keep", "kept"], in: folder.url)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let sessions = try FileManager.default.contentsOfDirectory(atPath: folder.path("kept"))
    #expect(sessions.count == 2 && sessions.allSatisfy { UUID(uuidString: $0) != nil })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("kept/\(sessions[0])")).sorted()
    let expected = ["aligned", "laplacian", "original"].flatMap { kind in (0..<3).map { "\(kind)_0\($0).png" } }
    #expect(names == expected + ["report.json"])
  }
}
