import CleanPlate
import FileBuilding
import Foundation
import Testing

/// Plates and reports in pipes, and runs that say nothing.
struct StandardOutputTests {
  let folder: TemporaryFolder
  let files: [String]

  init() throws {
    folder = try TemporaryFolder()
    files = try Burst.write(3, to: folder)
  }

  @Test(arguments: [([], ImageFormat.jpeg), (["--format", "png"], .png), (["--format", "webp"], .webp)])
  func thePlateGoesToStandardOutput(arguments: [String], format: ImageFormat) throws {
    let outcome = try Program.run(files + ["-o", "-"] + arguments, in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let bytes = outcome.output.nameBytes
    #expect(ImageFormat.sniff(bytes) == format)
    #expect(try decode(bytes, name: "plate").size.width > 200, "and nothing else")
    #expect(outcome.errors.contains("from 3 frames"), "\(outcome.errors)")
    #expect(try folder.names() == ["1.jpg", "2.jpg", "3.jpg"])
  }

  @Test func theReportGoesToStandardOutput() throws {
    let plate = try Program.run(files + ["-o", "plate.jpg", "--report", "-"], in: folder.url)
    #expect(plate.status == 0, "\(plate.errors)")
    #expect(try Report(json: plate.output.nameBytes).frames.count == 3)
    let align = try Program.run(["align"] + files + ["-o", "aligned", "--report", "-"], in: folder.url)
    #expect(try Report(json: align.output.nameBytes).frames.count == 3, "\(align.errors)")
    let both = try Program.run(files + ["-o", "-", "--report", "-"], in: folder.url)
    #expect(both.status == 64 && both.output.isEmpty, "\(both.errors)")
  }

  @Test func theFormatIsNamedOnce() throws {
    let bare = try Program.run(files + ["-o", "plate", "--format", "png"], in: folder.url)
    #expect(bare.status == 0, "\(bare.errors)")
    #expect(ImageFormat.sniff(try readFile(FilePath(folder.path("plate")))) == .png)
    let both = try Program.run(files + ["-o", "plate.jpg", "--format", "png"], in: folder.url)
    #expect(both.status == 64 && both.errors.contains("--format differs"), "\(both.errors)")
    let preview = try Program.run(files + ["-o", "plate.jpg", "--preview", "-"], in: folder.url)
    #expect(preview.status == 64, "\(preview.errors)")
    let raw = try Program.run(files + ["-o", "-", "--format", "dng"], in: folder.url)
    #expect(raw.status == 64, "\(raw.errors)")
  }

  @Test func quietRunsSayErrorsOnly() throws {
    try folder.write(Array("text".utf8), as: "text.jpg")
    let plate = try Program.run(files + ["text.jpg", "-o", "plate.jpg", "-q"], in: folder.url)
    #expect(plate.status == 0 && plate.output.isEmpty && plate.errors.isEmpty, "\(plate.output)\(plate.errors)")
    let rank = try Program.run(["rank", "-q"] + files, in: folder.url)
    #expect(rank.errors.isEmpty && rank.output.split(separator: "\n").count == 3)
    let failing = try Program.run(["nowhere.jpg", "-o", "plate.jpg", "-q"], in: folder.url)
    #expect(
      failing.status == 66 && failing.errors.hasPrefix("error: 'nowhere.jpg' does not exist"), "\(failing.errors)")
    let both = try Program.run(files + ["-o", "plate.jpg", "-q", "-v"], in: folder.url)
    #expect(both.status == 64, "\(both.errors)")
  }

  /// What a shell's script ended with in which "$0" is the program and "$@" are the words.
  private func shell(_ script: String, _ words: [String]) throws -> Int32 {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", script, Program.executable.path] + words
    shell.currentDirectoryURL = folder.url
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    shell.waitUntilExit()
    return shell.terminationStatus
  }

  /// A reader that leaves is an error of writing, not a death by signal that leaves things behind.
  @Test func aReaderThatLeavesIsAnError() throws {
    _ = try shell("{ \"$0\" \"$@\" -o - --format tif; echo $? >code; } | head -c 10 >/dev/null", files)
    #expect(try String(contentsOf: folder.url.appending(path: "code"), encoding: .utf8) == "74\n")
  }

  /// No file that the program opens takes the place of a stream that is closed, and with it what is printed.
  @Test func closedStreamsStayClosed() throws {
    #expect(try shell("exec \"$0\" \"$@\" >&- 2>errors", ["rank"] + files) == 74)
    let errors = try String(contentsOf: folder.url.appending(path: "errors"), encoding: .utf8)
    #expect(errors.hasPrefix("error: 'standard output': writing it failed (Bad file descriptor)"), "\(errors)")
    #expect(errors.contains("Keep it open") && !errors.contains("space"), "\(errors)")
    #expect(try shell("exec \"$0\" \"$@\"", files + ["-o", "open.png", "-q"]) == 0)
    #expect(try shell("exec \"$0\" \"$@\" <&- >&- 2>&-", files + ["-o", "closed.png", "-q"]) == 0)
    #expect(
      try readFile(FilePath(folder.path("open.png"))) == readFile(FilePath(folder.path("closed.png"))))
  }
}
