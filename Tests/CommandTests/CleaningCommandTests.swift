import Codecs
import FileBuilding
import Foundation
import Frames
import SystemPackage
import Testing

/// `--foreground`, `--support` and `--protect` as users meet them.
struct CleaningCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: [String]) throws -> Program.Outcome {
    try Program.run(try Burst.write(6, to: folder) + ["--detector", "off"] + arguments, in: folder.url)
  }

  @Test(arguments: ["png", "tif", "webp"]) func writesACutOutOfThePlatesSize(suffix: String) throws {
    let outcome = try run(["-o", "plate.png", "--foreground", "people.\(suffix)", "--reference", "2"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let people = try decode(readFile(FilePath(folder.path("people.\(suffix)"))), name: "people")
    let plate = try decode(readFile(FilePath(folder.path("plate.png"))), name: "plate")
    #expect(people.size == plate.size)
    // Black where nobody was, and not black where the walker stands.
    let green = people.planes[people.encoding == .rgb ? 1 : 0]
    #expect(green[people.size.width - 1, 0] < 20)
    #expect((0..<people.size.width).contains { x in (0..<people.size.height).contains { green[x, $0] > 20 } })
  }

  @Test func writesDeepSamplesBesideADeepPlate() throws {
    let outcome = try run(["-o", "plate.png", "--depth", "16", "--foreground", "people.png"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let header = try readHeader(readFile(FilePath(folder.path("people.png"))), name: "people")
    #expect(header.bits == 16)
  }

  @Test(arguments: [
    (["--foreground", "people.jpg"], "no transparency"),
    (["--foreground", "people.xyz"], "names no format"), (["--layers", "layers.png"], "Use .ora"),
    (["--layers", "plate.ora", "--combine", "median"], "goes with --combine clean"),
    (["--foreground", "plate.png"], "same file"),
    (["--foreground", "people.png", "--combine", "mean"], "removes nobody"),
  ]) func refusesWhatCannotBe(arguments: [String], words: String) throws {
    let outcome = try run(["-o", "plate.png"] + arguments)
    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(try folder.names().allSatisfy { $0.hasSuffix(".jpg") && Int($0.dropLast(4)) != nil })
  }

  @Test(arguments: [
    ["--support", "support.png"], ["--protect", "10,10"], ["--take", "1@10,10"], ["--remove", "10,10"],
  ])
  func whatOnlyCleanHasGoesWithNothingElse(arguments: [String]) throws {
    let outcome = try run(["-o", "plate.png", "--combine", "median"] + arguments)
    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.errors.contains("--combine clean"), "\(outcome.errors)")
  }

  @Test func writesLayersAsOpenRaster() throws {
    let outcome = try run(["-o", "plate.png", "--layers", "plate.ora"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = try readFile(FilePath(folder.path("plate.ora")))
    #expect(Array(bytes[30..<54]) == Array("mimetypeimage/openraster".utf8))
  }

  @Test func editsInAFileDoWhatOptionsDo() throws {
    let plain = try run(["-o", "plain.png"])
    let byOption = try run(["-o", "a.png", "--reference", "0", "--take", "2@150,150"])
    #expect(plain.status == 0 && byOption.status == 0, "\(plain.errors)\(byOption.errors)")
    let json =
      #"{"version": 1, "reference": "1.jpg", "edits": [{"do": "take", "frame": "3.jpg", "point": [150, 150]}]}"#
    try folder.write(Array(json.utf8), as: "edits.json")
    let byFile = try run(["-o", "b.png", "--reference", "0", "--edits", "edits.json"])
    #expect(byFile.status == 0, "\(byFile.errors)")
    func plate(_ name: String) throws -> Frame { try decode(readFile(FilePath(folder.path(name))), name: "plate") }
    #expect(try plate("a.png").planes == plate("b.png").planes)
    #expect(try plate("a.png").planes != plate("plain.png").planes)
  }

  @Test func editsNameMasksBesideThem() throws {
    let mask = Frame(
      planes: [try Plane(width: 320, height: 240) { x, _ in x < 60 ? 255 : 0 }], encoding: .grey(.full), name: "m")
    try folder.write(try encode(mask, options: EncodeOptions(format: .png)), as: "m.png")
    try folder.write(Array(#"{"version": 1, "edits": [{"do": "keep", "mask": "m.png"}]}"#.utf8), as: "edits.json")
    #expect(try run(["-o", "a.png", "--edits", "edits.json"]).status == 0)
    let missing = #"{"version": 1, "edits": [{"do": "keep", "mask": "none.png"}]}"#
    try folder.write(Array(missing.utf8), as: "edits.json")
    let outcome = try run(["-o", "b.png", "--edits", "edits.json"])
    #expect(outcome.status == 66 && outcome.errors.contains("none.png"), "\(outcome.errors)")
  }

  @Test(arguments: [
    (["--take", "10,10"], 64, "names the frame first"), (["--take", "99@10,10"], 64, "'99'"),
    (["--remove", "9999,10"], 64, "outside the reference"),
    (["--take", "1@-1,-1"], 64, "-1,-1 lies outside the reference"),
    (["--edits", "1.jpg"], 65, "cannot be used as edits"),
    (["--edits", "none.json"], 66, "none.json"),
  ]) func saysWhatIsWrongWithAnEdit(arguments: [String], status: Int32, words: String) throws {
    let outcome = try run(["-o", "plate.png"] + arguments)
    #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func neverOverwritesAnInput() throws {
    let files = try Burst.write(3, to: folder)
    try folder.write(try Burst.photo(4), as: "4.png")
    let before = try Data(contentsOf: folder.url.appending(path: "4.png"))
    let outcome = try Program.run(
      files + [folder.path("4.png"), "-o", "plate.png", "--foreground", "4.png"], in: folder.url)
    #expect(outcome.status == 64)
    #expect(try Data(contentsOf: folder.url.appending(path: "4.png")) == before)
  }
}
