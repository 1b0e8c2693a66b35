import FileBuilding
import Foundation
import Testing

/// Limits of the shell under which libraries would end the program.
struct ShellLimitsTests {
  private static let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

  private func isTold(_ limit: String, by words: String) throws {
    let folder = try TemporaryFolder()
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.png"], in: folder.url, limits: limit)
    #expect(outcome.exited && outcome.status == 69, "\(outcome)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "plate.png").path))
  }

  @Test func tooFewFilesAreTold() throws { try isTold("-n 8", by: "(ulimit -n)") }

  @Test(.disabled(if: isSanitized, "the sanitizer takes more addresses by itself"))
  func tooFewAddressesAreTold() throws { try isTold("-v 700000", by: "(ulimit -v)") }

  /// What the shell lets a program take is taken.
  @Test func filesThatMayBeOpenedAreAskedFor() throws {
    let folder = try TemporaryFolder()
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.png"], in: folder.url, limits: "-S -n 8")
    #expect(outcome.exited && outcome.status == 0, "\(outcome)")
  }
}
