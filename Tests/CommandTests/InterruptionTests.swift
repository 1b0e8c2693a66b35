import CleanPlate
import FileBuilding
import Foundation
import Testing

/// How runs end that are told to, and what they leave.
struct InterruptionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// How a run ends after a signal. (How soon is measured by `Scripts/torture`.)
  private func end(_ running: Program.Running, by signal: Int32) throws -> Program.Outcome {
    kill(running.process.processIdentifier, signal)
    return try running.outcome()
  }

  /// The pipe stays open: a run that did not mind signals would wait for ever.
  @Test(.timeLimit(.minutes(2)), arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT]) func waitingAtStandardInputEnds(
    signal: Int32
  )
    throws
  {
    let pipe = Pipe()
    let running = try Program.launch(["-", "-o", "plate.jpg"], in: folder.url, input: pipe.fileHandleForReading)
    try running.waitUntilItMindsSignals()
    let outcome = try end(running, by: signal)
    #expect(outcome.exited && outcome.status == 128 + signal, "\(outcome.errors)")
    #expect(!outcome.errors.contains("error"), "\(outcome.errors)")
  }

  /// A call that nothing calls off: opening a pipe that nobody reads. Disks that do not answer are like it.
  @Test(.timeLimit(.minutes(2))) func waitingInACallEnds() throws {
    let files = try Burst.write(3, to: folder)
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let running = try Program.launch(
      files + ["-o", "pipe", "--detector", "off", "--report", "r.json"], in: folder.url)
    while try !running.said("stack done") { usleep(10_000) }
    usleep(300_000)
    let outcome = try end(running, by: SIGTERM)
    #expect(outcome.exited && outcome.status == 143, "\(outcome.errors)")
    #expect(try folder.names() == ["1.jpg", "2.jpg", "3.jpg", "pipe"])
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func theCodeNamesTheSignal(signal: Int32) throws {
    let files = try Burst.write(12, to: folder, prefix: "photos/")
    let running = try Program.launch(files + ["-o", folder.path("plate.png"), "--keep", "kept"], in: folder.url)
    while running.process.isRunning, try running.saidNothing { usleep(1000) }
    let outcome = try end(running, by: signal)
    #expect(outcome.exited && [0, 128 + signal].contains(outcome.status), "\(outcome.status)")
    if outcome.status != 0 { #expect(try folder.names().filter { $0 != "kept" } == ["photos"]) }
  }

  @Test(arguments: [("HUP", SIGHUP), ("INT", SIGINT)]) func whatIsIgnoredStaysIgnored(name: String, signal: Int32)
    throws
  {
    let files = try Burst.write(3, to: folder)
    let running = try Program.launch(files + ["-o", "plate.jpg"], in: folder.url, ignoring: [name])
    while try running.saidNothing { usleep(1000) }
    let outcome = try end(running, by: signal)
    #expect(outcome.exited && outcome.status == 0, "\(outcome.status) \(outcome.errors)")
    #expect(try folder.names().contains("plate.jpg"))
  }

  @Test(.enabled(if: VideoCommandTests.hasFFmpeg, "ffmpeg is not installed")) func extractingAVideoEnds() throws {
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    make.arguments = [
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30:duration=30", "-c:v", "mpeg4",
      folder.path("long.mp4"),
    ]
    make.standardInput = FileHandle.nullDevice
    try make.run()
    make.waitUntilExit()
    try #require(make.terminationStatus == 0)
    let running = try Program.launch(["long.mp4", "-o", "plate.jpg"], in: folder.url)
    while try !running.said("extract") { usleep(10_000) }
    let outcome = try end(running, by: SIGTERM)
    #expect(outcome.exited && outcome.status == 143, "\(outcome.errors)")
    #expect(try folder.names() == ["long.mp4"])
  }

  @Test func specialFilesAreRefusedByName() throws {
    let files = try Burst.write(3, to: folder)
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for arguments in [
      files + ["pipe", "-o", "p.jpg"], files + ["-o", "p.jpg", "--protect", "pipe"],
      files + ["-o", "p.jpg", "--alignment", "pipe"], files + ["-o", "p.jpg", "--detector", "pipe"],
      ["compare", "pipe", files[0]], ["rank", "pipe"], ["rank", "/dev/zero"],
    ] {
      let outcome = try Program.run(arguments, in: folder.url)
      #expect(outcome.exited && outcome.status == 66, "\(arguments) \(outcome.errors)")
      #expect(
        ["a pipe, not a file", "a device, not a file"].contains(where: outcome.errors.contains), "\(outcome.errors)")
    }
    // In a folder they are passed over.
    try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: true)
    for file in files {
      try FileManager.default.moveItem(
        atPath: file, toPath: folder.path("in/\(URL(fileURLWithPath: file).lastPathComponent)"))
    }
    #expect(mkfifo(folder.path("in/pipe"), 0o600) == 0)
    let outcome = try Program.run(["in", "-o", "p.jpg", "--verbose"], in: folder.url)
    #expect(outcome.status == 0 && outcome.errors.contains("skipped: in/pipe, a pipe"), "\(outcome.errors)")
  }

  /// What runs that were killed left goes; what others are writing stays.
  @Test func theNextRunTidiesUp() throws {
    let files = try Burst.write(3, to: folder)
    let (file, session) = (".cleanplate-aaaaaaaaaa-bbbbbbbbbb", ".cleanplate-aaaaaaaaaa-cccccccccc")
    try folder.write([1], as: "out/\(file)")
    try folder.write([1], as: "kept/\(session)/original_00.png")
    try folder.write([1], as: "out/.hidden.jpg")
    let held = try UnfinishedFolder(in: FilePath(folder.path("out")))
    let outcome = try Program.run(files + ["-o", "out/plate.jpg", "--keep", "kept"], in: folder.url)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let heldName = try #require(held.path.lastComponent?.string)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.path("out"))) == [
        ".hidden.jpg", heldName, "plate.jpg",
      ])
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path("kept"))
    #expect(kept.count == 1 && UUID(uuidString: kept[0]) != nil, "\(kept)")
    #expect(outcome.errors.contains("are kept in kept/\(kept[0])"), "\(outcome.errors)")
    held.discard()
  }

  /// `--keep` that fails on the way leaves no folder.
  @Test func aHalfFilledFolderIsRemoved() throws {
    let files = try Burst.write(3, to: folder)
    let outcome = try Program.run(files + ["-o", "plate.jpg", "--keep", "kept"], in: folder.url, limits: "-f 40")
    #expect(outcome.exited && outcome.status == 74, "\(outcome.status) \(outcome.errors)")
    #expect(outcome.errors.contains("File too large"), "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("kept")).isEmpty)
    #expect(try !folder.names().contains("plate.jpg"))
  }
}
