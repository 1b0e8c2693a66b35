import Codecs
import FileBuilding
import Foundation
import Testing

struct PlateCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func saysItsVersion() throws {
    let outcome = try Program.run(["--version"], in: folder.url)
    #expect(outcome.status == 0)
    #expect(outcome.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
  }

  @Test func takesFoldersInNaturalOrder() throws {
    _ = try Burst.write(11, to: folder, prefix: "photos/")
    try folder.write(Array("notes".utf8), as: "photos/notes.txt")
    try folder.write(try Burst.photo(3), as: "photos/.hidden.jpg")
    let outcome = try Program.run(
      ["photos", "-o", "plate.png", "--report", "report.json", "--reference", "0"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("skipped 2 entries"), "\(outcome.errors)")
    let data = try Data(contentsOf: folder.url.appending(path: "report.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let frames = try #require(report["frames"] as? [[String: Any]])
    #expect(frames.map { $0["path"] as? String } == (1...11).map { "photos/\($0).jpg" })
    #expect(report["version"] as? Int == 2)
    #expect(report["reference"] as? Int == 0)
    for key in ["size", "crop", "combine", "align", "unresolved", "seconds"] { #expect(report[key] != nil, "\(key)") }
    for frame in frames {
      #expect(frame["accepted"] as? Bool == true, "\(frame["reason"] ?? "")")
      for key in ["homography", "inliers", "residual_px", "sharpness", "gain", "offset"] {
        #expect(frame[key] != nil, "\(key)")
      }
    }
  }

  @Test func doesNotDependOnThreads() throws {
    let files = try Burst.write(5, to: folder)
    for threads in ["1", "3"] {
      let outcome = try Program.run(files + ["-o", "plate\(threads).png", "--threads", threads], in: folder.url)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(
      try Data(contentsOf: folder.url.appending(path: "plate1.png"))
        == Data(contentsOf: folder.url.appending(path: "plate3.png")))
  }

  @Test func showsPlainProgressInAPipe() throws {
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg"], in: folder.url)
    #expect(outcome.errors.contains("decode done in"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("\u{1B}"))
    let silent = try Program.run(files + ["-o", "plate.jpg", "--progress", "none"], in: folder.url)
    #expect(silent.errors.isEmpty, "\(silent.errors)")
  }

  @Test func showsThePlateWhileFramesComeIn() throws {
    let files = try Burst.write(6, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg", "--preview", "preview.png"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let preview = try decode(Array(Data(contentsOf: folder.url.appending(path: "preview.png"))), name: "preview.png")
    #expect(preview.size.width > 0)
    let unknown = try Program.run(files + ["-o", "plate.jpg", "--preview", "preview.xyz"], in: folder.url)
    #expect(unknown.status == 64)
    let overInput = try Program.run(files + ["-o", "plate.jpg", "--preview", files[0]], in: folder.url)
    #expect(overInput.status == 64, "\(overInput.errors)")
  }

  @Test func leavesNothingBehindWhenInterrupted() throws {
    let files = try Burst.write(12, to: folder, prefix: "photos/")
    let running = try Program.launch(files + ["-o", folder.path("plate.png")], in: folder.url)
    while running.process.isRunning, try running.saidNothing { usleep(1000) }
    running.process.interrupt()
    let outcome = try running.outcome()
    // On a fast machine the plate may have been whole before the signal came.
    let names = try folder.names()
    #expect(outcome.exited)
    #expect(
      outcome.status == 130 ? names == ["photos"] : names == ["photos", "plate.png"], "\(outcome.status) \(names)")
  }
}
