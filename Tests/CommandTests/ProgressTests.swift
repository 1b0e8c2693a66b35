import CleanPlate
import FileBuilding
import Foundation
import Testing

@testable import CleanPlateCLI

/// The line that says how far a run is.
struct ProgressTests {
  /// What the share of a line's text is.
  private func percent(_ line: String?) throws -> Int {
    let match = try #require(line?.firstMatch(of: /(\d+) %/))
    return try #require(Int(match.1))
  }

  @Test func everyStageMovesTheLine() throws {
    var state = ProgressState(stages: [.decode, .register, .select, .stack])
    var last = -1
    for stage in [Stage.extract, .decode, .register, .select, .stack] {
      _ = state.update(.started(stage), plain: false)
      let half = try percent(state.update(.progress(stage, done: 5, total: 10), plain: false) ?? "0 %")
      let whole = try percent(state.update(.progress(stage, done: 10, total: 10), plain: false))
      #expect(whole > last, "\(stage)")
      #expect(half <= whole)
      last = whole
    }
    #expect(last == 100)
  }

  @Test func stagesThatARunHasNotAreNotCounted() throws {
    var state = ProgressState(stages: [.decode, .register])
    _ = state.update(.started(.decode), plain: false)
    #expect(try percent(state.update(.progress(.register, done: 1, total: 1), plain: false)) == 100)
  }

  @Test func readingAVideoIsTold() throws {
    let folder = try TemporaryFolder()
    try folder.write(try VideoCommandTests().video(frames: 6), as: "burst.y4m")
    let outcome = try Program.run(["burst.y4m", "-o", "plate.jpg"], in: folder.url)
    #expect(outcome.errors.contains("extract done in"), "\(outcome.errors)")
  }

  @Test(arguments: [[], ["--progress", "plain"]]) func noStageIsToldTwice(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg", "-v"] + arguments, in: folder.url)
    for stage in ["decode", "register", "select", "stack"] {
      #expect(outcome.errors.matches(of: try Regex("(?m)^\(stage)(:| done in) ?[0-9]")).count == 1, "\(outcome.errors)")
    }
  }

  /// In a terminal of 22 columns (`script` makes one) no line is wider, so that each can be overwritten.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "script is not installed"))
  func narrowTerminals() throws {
    let folder = try TemporaryFolder()
    let files = try Burst.write(6, to: folder)
    let script = Process()
    script.executableURL = URL(fileURLWithPath: "/usr/bin/script")
    let command =
      "stty cols 22; TERM=xterm '\(Program.executable.path)' \(files.map { "'\($0)'" }.joined(separator: " ")) -o plate.jpg"
    script.arguments = ["-q", "-e", "-c", command, folder.path("typescript")]
    script.currentDirectoryURL = folder.url
    script.standardInput = FileHandle.nullDevice
    script.standardOutput = FileHandle.nullDevice
    try script.run()
    script.waitUntilExit()
    let text = try String(contentsOf: folder.url.appending(path: "typescript"), encoding: .utf8)
    let lines = text.split(separator: "\r").filter { $0.contains("%") && $0.contains("\u{1B}[K") }
    #expect(!lines.isEmpty, "\(text)")
    #expect(lines.allSatisfy { $0.prefix { $0 != "\u{1B}" }.count < 22 }, "\(lines)")
  }
}
