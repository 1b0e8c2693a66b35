import Codecs
import Foundation
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
    (["--foreground", "people.xyz"], "names no format"),
    (["--foreground", "plate.png"], "same file"),
    (["--foreground", "people.png", "--combine", "mean"], "removes nobody"),
  ]) func refusesWhatCannotBe(arguments: [String], words: String) throws {
    let outcome = try run(["-o", "plate.png"] + arguments)
    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(try folder.names().allSatisfy { $0.hasSuffix(".jpg") && Int($0.dropLast(4)) != nil })
  }

  @Test(arguments: [["--support", "support.png"], ["--protect", "10,10"]])
  func whatOnlyCleanHasGoesWithNothingElse(arguments: [String]) throws {
    let outcome = try run(["-o", "plate.png", "--combine", "median"] + arguments)
    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.errors.contains("goes with --combine clean"), "\(outcome.errors)")
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
