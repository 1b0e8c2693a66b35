import CleanPlate
import FileBuilding
import Foundation
import Testing

/// Files of any name: bare, of one letter, of bytes that are no UTF-8.
struct OddNamesTests {
  let folder: TemporaryFolder
  /// "café" in Latin-1, as old cameras' cards and archives have it.
  static let latin = String(nameBytes: [0x63, 0x61, 0x66, 0xE9])

  init() throws { folder = try TemporaryFolder() }

  private func names() throws -> Set<FilePath> {
    Set(try folderEntries(FilePath(folder.url.path)).map { FilePath(root: nil, [$0]) })
  }

  @Test(arguments: ["r", "é", "日", "rr", "r.json", latin])
  func reportsUnderBareNames(name: String) throws {
    let files = try Burst.write(3, to: folder, prefix: "photos/")
    let plate = try Program.run(files + ["-o", "plate.jpg", "--report", name], in: folder.url)
    #expect(plate.exited && plate.status == 0, "\(plate.errors)")
    let report = FilePath(folder.url.path).appending(FilePath(text: name).components)
    #expect(try Report(json: readFile(report)).frames.count == 3)
    let align = try Program.run(["align", "photos", "-o", "aligned", "--report", name], in: folder.url)
    #expect(align.exited && align.status == 0, "\(align.errors)")
  }

  @Test func readsAndReportsNamesThatAreNoUTF8() throws {
    let base = FilePath(folder.url.path)
    for index in 0..<3 {
      try writeAtomically(
        Burst.photo(index), to: base.appending(FilePath(text: "\(Self.latin)\(index).jpg").components))
    }
    // Another byte, and another file for everything that compares names.
    let bad = String(nameBytes: [0x63, 0x61, 0x66, 0xE8])
    try writeAtomically(Array("text".utf8), to: base.appending(FilePath(text: "\(bad)1.jpg").components))
    let burst = ["\(Self.latin)0.jpg", "\(Self.latin)1.jpg", "\(bad)1.jpg", "\(Self.latin)2.jpg"]
    let output = "\(Self.latin)-plate.png"
    let outcome = try Program.run(
      burst + ["-o", output, "--report", "r.json", "--reference", "\(Self.latin)1.jpg"],
      in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("warning: \(bad)1.jpg is left out"), "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("\(output): "), "\(outcome.output)")
    #expect(try names().contains(FilePath(text: output)))
    let report = try Report(json: readFile(base.appending("r.json")))
    #expect(
      report.frames.map(\.path).sorted() == [
        "caf\u{FFFD}0.jpg", "caf\u{FFFD}1.jpg", "caf\u{FFFD}1.jpg", "caf\u{FFFD}2.jpg",
      ])
    let bytes = report.frames.compactMap(\.pathBase64).compactMap { Data(base64Encoded: $0) }.map {
      String(nameBytes: $0)
    }
    #expect(Set(bytes) == Set(burst))
    #expect(bytes[report.reference] == "\(Self.latin)1.jpg")
    let again = try Program.run(burst + ["-o", "again.png", "--alignment", "r.json"], in: folder.url)
    #expect(again.status == 0, "\(again.errors)")
    let rank = try Program.run(["rank"] + burst, in: folder.url)
    #expect(rank.output.contains("  \(Self.latin)1.jpg\n"), "\(rank.output)")
  }

  /// What a name holds must not look like something that was said.
  @Test func saysNoLinesOutOfNames() throws {
    let files = try Burst.write(2, to: folder)
    let odd = "x\nwarning: y.jpg"
    try writeAtomically(Array("text".utf8), to: FilePath(folder.url.path).appending(odd))
    let outcome = try Program.run(files + [odd, "-o", "plate.jpg"], in: folder.url)
    #expect(outcome.errors.contains("warning: x\u{FFFD}warning: y.jpg is left out"), "\(outcome.errors)")
    let missing = try Program.run(["a\nerror: b.jpg", "c.jpg", "-o", "plate.jpg"], in: folder.url)
    #expect(missing.status == 66 && missing.errors.split(separator: "\n").count == 1, "\(missing.errors)")
  }

  @Test func saysWhatIsWrongWithThem() throws {
    let missing = try Program.run(["\(Self.latin).jpg", "-o", "plate.jpg"], in: folder.url)
    #expect(missing.status == 66 && missing.errors.contains("'\(Self.latin).jpg' does not exist"), "\(missing.errors)")
    let suffix = try Program.run(["a.jpg", "-o", Self.latin], in: folder.url)
    #expect(suffix.status == 64 && suffix.errors.contains("error: The suffix of '\(Self.latin)'"), "\(suffix.errors)")
  }
}
