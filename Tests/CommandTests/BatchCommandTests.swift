import FileBuilding
import Foundation
import Frames
import TestScenes
import Testing

/// `bursts` and `batch` as users run them, and the plain command on a folder of several bursts.
struct BatchCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Two bursts without times: sight tells them apart.
  func writeTwoBursts() throws {
    for scene in 0..<2 {
      for index in 0..<4 {
        try folder.write(
          try Burst.photo(index, scene: Scene(seed: UInt64(30 + scene))), as: "card/IMG_\(10 + 4 * scene + index).jpg")
      }
    }
  }

  func run(_ arguments: [String], limits: String = "") throws -> Program.Outcome {
    try Program.run(arguments, in: folder.url, limits: limits)
  }

  @Test func burstsAreListed() throws {
    try writeTwoBursts()
    let text = try run(["bursts", "card"])
    #expect(text.status == 0 && text.output.contains("burst of 4: card/IMG_10.jpg ... IMG_13.jpg"), "\(text)")
    #expect(text.output.contains("2 bursts"))
    let json = try run(["bursts", "card", "--json", "-q"])
    let table = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let bursts = try #require(table["bursts"] as? [[String: Any]])
    #expect(bursts.map { ($0["shots"] as? [Any])?.count } == [4, 4])
  }

  @Test func aFolderOfTwoBurstsAsksForOne() throws {
    try writeTwoBursts()
    let outcome = try run(["card", "-o", "plate.jpg", "--detector", "off"])
    #expect(outcome.status == 65, "\(outcome)")
    #expect(outcome.errors.contains("holds 2 bursts") && outcome.errors.contains("IMG_14.jpg ... IMG_17.jpg"))
    #expect(outcome.errors.contains("cleanplate batch"))
    #expect(try folder.names() == ["card"])
    // Who names files means them.
    let named = (10..<18).map { "card/IMG_\($0).jpg" }
    #expect(try run(named + ["-o", "plate.jpg", "--detector", "off"]).status == 0)
  }

  @Test func everyBurstGetsItsPlate() throws {
    try writeTwoBursts()
    let outcome = try run(["batch", "card", "-o", "plates", "--detector", "off", "--name", "{first}.png"])
    #expect(outcome.status == 0 && outcome.output.contains("plates: 2 made"), "\(outcome)")
    #expect(outcome.errors.contains("2/2 "))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("plates")).sorted()
    #expect(names == [".cleanplate-batch", "IMG_10.png", "IMG_14.png", "batch.json"])
  }

  @Test func aFolderWithoutPicturesIsNoInput() throws {
    try FileManager.default.createDirectory(atPath: folder.path("card/DCIM"), withIntermediateDirectories: true)
    let outcome = try run(["batch", "card", "-o", "plates", "-q"])
    #expect(outcome.status == 66 && outcome.errors.contains("'card' holds no picture"), "\(outcome)")
  }

  /// A limit on the length of files stands for a full disk: what is written is whole, and the next run goes on.
  @Test func aFullDiskEndsTheRun() throws {
    try writeTwoBursts()
    let outcome = try run(["batch", "card", "-o", "plates", "--detector", "off"], limits: "-f 20")
    #expect(outcome.exited && outcome.status == 74 && outcome.errors.contains("writing it failed"), "\(outcome)")
    let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path("plates"))
    #expect(!left.contains { $0.hasSuffix(".jpg") })
    let again = try run(["batch", "card", "-o", "plates", "--detector", "off"])
    #expect(again.status == 0 && again.output.contains("2 made"), "\(again)")
  }

  /// What is there, then what arrives in a new folder; SIGTERM ends it and leaves nothing half-made.
  @Test func burstsAreMadeAsTheyArrive() throws {
    try writeTwoBursts()
    let running = try Program.launch(
      ["batch", "card", "-o", "plates", "--detector", "off", "--watch", "--gap", "1s"], in: folder.url)
    func waitFor(_ name: String) {
      let end = Date(timeIntervalSinceNow: 90)
      while !FileManager.default.fileExists(atPath: folder.path("plates/\(name)")), Date() < end,
        running.process.isRunning
      {
        usleep(50_000)
      }
    }
    waitFor("IMG_14-plate.jpg")
    for index in 0..<4 {
      try folder.write(try Burst.photo(index, scene: Scene(seed: 40)), as: "card/new/IMG_\(50 + index).jpg")
    }
    waitFor("IMG_50-plate.jpg")
    // The card goes, and one with other photos comes.
    let away = folder.path("away")
    try FileManager.default.moveItem(atPath: folder.path("card"), toPath: away)
    usleep(2_500_000)
    #expect(running.process.isRunning)
    for index in 0..<4 {
      try folder.write(try Burst.photo(index, scene: Scene(seed: 50)), as: "card/IMG_\(60 + index).jpg")
    }
    waitFor("IMG_60-plate.jpg")
    running.process.terminate()
    let outcome = try running.outcome()
    #expect(outcome.status == 143, "\(outcome)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("plates")).sorted()
    #expect(
      names.filter { $0.hasSuffix(".jpg") } == [
        "IMG_10-plate.jpg", "IMG_14-plate.jpg", "IMG_50-plate.jpg", "IMG_60-plate.jpg",
      ])
    #expect(!names.contains { $0.hasPrefix(".cleanplate-") && $0 != ".cleanplate-batch" })
  }

  @Test(.disabled(if: geteuid() == 0, "root reads every folder"))
  func aFolderThatCannotBeReadIsNamed() throws {
    try writeTwoBursts()
    try folder.write(try Burst.photo(0), as: "card/closed/IMG_30.jpg")
    let closed = folder.path("card/closed")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: closed)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: closed) }
    let list = try run(["bursts", "card"])
    #expect(list.status == 0 && list.output.contains("2 bursts"), "\(list)")
    let warning = "warning: card/closed is left out: it cannot be read (Permission denied)"
    #expect(list.errors.contains(warning), "\(list)")
    let batch = try run(["batch", "card", "-o", "plates", "--detector", "off"])
    #expect(batch.status == 0 && batch.output.contains("plates: 2 made"), "\(batch)")
    #expect(batch.errors.contains(warning), "\(batch)")
    for arguments in [
      ["bursts", "card/closed"], ["batch", "card/closed", "-o", "p"], ["card/closed", "-o", "p.jpg"],
    ] {
      let named = try run(arguments)
      #expect(
        named.status == 66 && named.errors.contains("'card/closed': it cannot be read (Permission denied)"), "\(named)")
    }
  }

  @Test func aRefusedBurstIsToldByTheExitCode() throws {
    try writeTwoBursts()
    let half = try Burst.photo(0).prefix(3000)
    for index in 0..<4 { try folder.write(Array(half), as: "card/half\(index).jpg") }
    // Damaged files are no pictures; a plate's name that is taken by a folder is refused.
    let outcome = try run(["batch", "card", "-o", "plates", "--detector", "off"])
    #expect(outcome.status == 0 && outcome.errors.contains("half1.jpg is left out"), "\(outcome)")
    try FileManager.default.removeItem(atPath: folder.path("plates/IMG_10-plate.jpg"))
    try FileManager.default.createDirectory(
      atPath: folder.path("plates/IMG_10-plate.jpg"), withIntermediateDirectories: true)
    let refused = try run(["batch", "card", "-o", "plates", "--detector", "off"])
    #expect(refused.status == 65 && refused.output.contains("1 there already, 1 refused"), "\(refused)")
  }

  @Test(arguments: [
    (["batch", "nowhere", "-o", "plates"], 66, "does not exist"), (["batch", "card"], 64, "--output"),
    (["batch", "card", "-o", "plates", "--shard", "3/2"], 64, "--shard"),
    (["batch", "card", "-o", "plates", "--name", "{first}.txt"], 64, "names no format"),
    (["bursts", "card", "--at-least", "1"], 64, "from 2"),
    (["bursts", "card", "--at-least", "5", "--max-frames", "4"], 64, "--max-frames"),
  ])
  func wrongUsageHasWords(_ arguments: [String], _ code: Int32, _ words: String) throws {
    try writeTwoBursts()
    let outcome = try run(arguments)
    #expect(outcome.status == code && outcome.errors.contains(words), "\(outcome)")
  }
}
