import CleanPlate
import FileBuilding
import Foundation
import Testing

/// No file that is read is ever written, under whatever name, and no two outputs are one file.
struct OverwritingTests {
  let folder: TemporaryFolder
  let files: [String]

  init() throws {
    folder = try TemporaryFolder()
    files = try Burst.write(3, to: folder, prefix: "photos/")
    for name in ["mask.png", "net.weights", "net.cfg", "report.json"] {
      try folder.write(Array("this must stay".utf8), as: name)
    }
    for (name, target) in [("soft.png", "mask.png"), ("to-new.png", "new.png"), ("elsewhere", "photos")] {
      try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }
    try FileManager.default.linkItem(atPath: folder.path("mask.png"), toPath: folder.path("hard.png"))
  }

  /// Expects wrong usage, and everything as it was.
  private func refuses(_ arguments: [String], saying words: String, input: FileHandle = .nullDevice) throws {
    let before = try contents()
    let outcome = try Program.run(arguments, in: folder.url, input: input)
    #expect(outcome.exited && outcome.status == 64, "\(arguments) \(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
    #expect(try contents() == before)
  }

  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: folder.path($0)) ?? Data()) })
  }

  @Test(arguments: ["mask.png", "./mask.png", "hard.png", "soft.png", "photos/../mask.png"])
  func theMask(output: String) throws {
    try refuses(files + ["-o", output, "--protect", "mask.png"], saying: "one of the inputs")
    try refuses(files + ["-o", "p.png", "--protect", "mask.png", "--support", output], saying: "one of the inputs")
  }

  @Test(arguments: ["mask.png", "hard.png", "soft.png"]) func theMaskThatAFileOfEditsNames(output: String) throws {
    let edits = #"{ "version": 1, "edits": [{ "do": "remove", "mask": "../mask.png" }] }"#
    try folder.write(Array(edits.utf8), as: "photos/edits.json")
    let arguments = files + ["--edits", "photos/edits.json"]
    try refuses(arguments + ["-o", output], saying: "one of the inputs")
    try refuses(arguments + ["-o", "p.png", "--support", output], saying: "one of the inputs")
  }

  @Test(arguments: ["net.weights", "net.cfg", "./net.cfg"]) func theDetector(output: String) throws {
    try refuses(files + ["-o", "p.png", "--detector", "net.weights", "--report", output], saying: "one of the inputs")
  }

  @Test func theDetectorThatIsFoundByItself() throws {
    try FileManager.default.createDirectory(atPath: folder.path("data/cleanplate"), withIntermediateDirectories: true)
    let names = ["yolov3-tiny.cfg", "yolov3-tiny.weights", "ssdlite-people.pb", "selfie-segmentation.tflite"]
    for name in names { try folder.write(Array("this must stay".utf8), as: "data/cleanplate/\(name)") }
    for name in names {
      let outcome = try Program.run(
        files + ["-o", "p.png", "--report", "data/cleanplate/\(name)"], in: folder.url,
        environment: ["XDG_DATA_HOME": folder.path("data")])
      #expect(outcome.status == 64 && outcome.errors.contains("one of the inputs"), "\(outcome.errors)")
    }
  }

  @Test func theEarlierReport() throws {
    let plate = try Program.run(files + ["-o", "plate.png", "--report", "report.json"], in: folder.url)
    #expect(plate.status == 0, "\(plate.errors)")
    try refuses(
      files + ["-o", "p.png", "--alignment", "report.json", "--report", "photos/../report.json"],
      saying: "one of the inputs")
    try refuses(
      ["align", "photos", "-o", "aligned", "--alignment", "report.json", "--report", "report.json"],
      saying: "one of the inputs")
  }

  @Test func whatStandardInputComesFrom() throws {
    try folder.write(Array("YUV4MPEG2".utf8), as: "burst.png")
    let input = try FileHandle(forReadingFrom: folder.url.appending(path: "burst.png"))
    try refuses(["-", "-o", "burst.png"], saying: "one of the inputs", input: input)
  }

  @Test(arguments: [
    ("new.png", "new.png"), ("new.png", "./new.png"), ("new.png", "to-new.png"),
    ("photos/new.png", "elsewhere/new.png"),
    ("mask.png", "hard.png"), ("soft.png", "mask.png"),
  ]) func twoOutputsInOneFile(plate: String, support: String) throws {
    try refuses(files + ["-o", plate, "--support", support], saying: "same file")
    try refuses(files + ["-o", plate, "--preview", support], saying: "same file")
  }

  @Test func framesThatWouldBecomeThemselves() throws {
    _ = try Burst.write(2, to: folder, prefix: "aligned/frame_0")
    for name in ["frame_01", "frame_02"] {
      try FileManager.default.moveItem(
        atPath: folder.path("aligned/\(name).jpg"), toPath: folder.path("aligned/\(name).png"))
    }
    try refuses(["align", "aligned"] + files + ["-o", "aligned"], saying: "one of the inputs")
    try FileManager.default.moveItem(atPath: folder.path("aligned"), toPath: folder.path("laplacians"))
    for index in 1...2 {
      try FileManager.default.moveItem(
        atPath: folder.path("laplacians/frame_0\(index).png"), toPath: folder.path("laplacians/laplacian_0\(index).png")
      )
    }
    try refuses(["rank", "laplacians"] + files + ["--laplacian", "laplacians"], saying: "one of the inputs")
    try refuses(["align", "photos", "-o", "new", "--report", "new/frame_00.png"], saying: "same file")
  }

  @Test func comparedPictures() throws {
    let before = try contents()
    for diff in ["photos/1.jpg", "elsewhere/2.jpg"] {
      let outcome = try Program.run(["compare", files[0], files[1], "--diff", diff], in: folder.url)
      #expect(outcome.status == 64 && outcome.errors.contains("one of the inputs"), "\(outcome.errors)")
    }
    #expect(try contents() == before)
  }
}
