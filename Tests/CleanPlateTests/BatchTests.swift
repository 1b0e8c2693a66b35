import FileBuilding
import Foundation
import Frames
import Synchronization
import TestScenes
import Testing

@testable import CleanPlate
@testable import Codecs

/// Plates of many bursts: made once, made again when something has changed, and never over what is not theirs.
struct BatchTests {
  private let temporary: TemporaryFolder
  var folder: URL { temporary.url }
  var card: URL { folder.appending(path: "card") }
  var plates: URL { folder.appending(path: "plates") }

  init() throws {
    temporary = try TemporaryFolder()
    try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
  }

  /// Three photos of a scene, a minute after those of the scene before.
  func writeBurst(_ scene: Int, start: String = "IMG_") throws {
    for index in 0..<3 {
      let frame = try Scene(seed: UInt64(scene)).photo(
        Size(width: 200, height: 150), camera: Scene.handheld(index),
        figures: [.init(x: 30 + 60 * Double(index), y: 90, radius: 14)], noise: 1.5, noiseSeed: UInt64(index))
      let photo = Frame(
        planes: frame.planes, grids: frame.grids, encoding: frame.encoding, name: "",
        metadata: Metadata(exif: Card.exif(camera: "A", time: 60_000 * scene + 500 * index)))
      try Data(encode(photo, options: EncodeOptions(format: .jpeg)))
        .write(to: card.appending(path: "\(start)\(100 + 10 * scene + index).jpg"))
    }
  }

  func options(
    combine: CombineOperator = .median, template: String = "{first}-plate.jpg", shard: Shard? = nil,
    isDryRun: Bool = false, memory: Int? = nil
  ) throws -> BatchOptions {
    BatchOptions(
      plate: try Options(combine: combine, detector: .off, threads: 2, memory: memory, digests: true),
      encoding: EncodeOptions(format: .jpeg), template: try NameTemplate(template), search: try BurstSearch(threads: 2),
      shard: shard, isDryRun: isDryRun)
  }

  @discardableResult
  func run(
    _ options: BatchOptions, onEvent: @escaping @Sendable (BatchEvent) -> Void = { _ in }
  ) async throws -> [String: String] {
    let result = try await makePlates(
      of: [FilePath(card.path)], into: FilePath(plates.path), options: options, onEvent: onEvent)
    return Dictionary(
      result.outcomes.map { ($0.plate, $0.outcome.word) }
    ) { first, _ in first }
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: plates.path).filter { !$0.hasPrefix(".") }.sorted()
  }

  @Test func everyBurstIsMadeOnce() async throws {
    for scene in 1...3 { try writeBurst(scene) }
    let all = ["IMG_110-plate.jpg", "IMG_120-plate.jpg", "IMG_130-plate.jpg"]
    #expect(try await run(options(isDryRun: true)) == Dictionary(uniqueKeysWithValues: all.map { ($0, "planned") }))
    #expect(!FileManager.default.fileExists(atPath: plates.path))
    #expect(try await run(options()) == Dictionary(uniqueKeysWithValues: all.map { ($0, "made") }))
    #expect(try names() == all + ["batch.json"])
    #expect(try await run(options()) == Dictionary(uniqueKeysWithValues: all.map { ($0, "done") }))
    let table = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: plates.appending(path: "batch.json"))) as? [String: Any])
    let rows = try #require(table["bursts"] as? [[String: Any]])
    #expect(rows.map { $0["plate"] as? String } == all)
    #expect(
      rows.allSatisfy { ($0["report"] as? [String: Any])?["frames"] != nil && ($0["files"] as? [String])?.count == 3 })
  }

  @Test func whatHasChangedIsMadeAgainAndOnlyThat() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    try await run(options())
    // Only touched: the same bytes.
    try FileManager.default.setAttributes(
      [.modificationDate: Date()], ofItemAtPath: card.appending(path: "IMG_111.jpg").path)
    #expect(try await run(options()) == ["IMG_110-plate.jpg": "done", "IMG_120-plate.jpg": "done"])
    // Other bytes: a comment.
    let path = card.appending(path: "IMG_121.jpg")
    var bytes = try Data(contentsOf: path)
    bytes.insert(contentsOf: [0xFF, 0xFE, 0, 4, 1, 2], at: 2)
    try bytes.write(to: path)
    #expect(try await run(options()) == ["IMG_110-plate.jpg": "done", "IMG_120-plate.jpg": "made"])
    try FileManager.default.removeItem(at: plates.appending(path: "IMG_110-plate.jpg"))
    #expect(try await run(options()) == ["IMG_110-plate.jpg": "made", "IMG_120-plate.jpg": "done"])
    #expect(try await run(options(combine: .mean)) == ["IMG_110-plate.jpg": "made", "IMG_120-plate.jpg": "made"])
  }

  /// A plate that a full disk or a copy has emptied, and one that is gone.
  @Test func whatIsLostIsSaidAndMadeAgain() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    try await run(options())
    try Data().write(to: plates.appending(path: "IMG_110-plate.jpg"))
    try FileManager.default.removeItem(at: plates.appending(path: "IMG_120-plate.jpg"))
    try BatchFolder(path: FilePath(plates.path)).writeSummary()
    let summary = plates.appending(path: "batch.json")
    let before = try String(contentsOf: summary, encoding: .utf8)
    #expect(before.components(separatedBy: #""status" : "missing""#).count == 3 && !before.contains(#""made""#))
    #expect(try await run(options()) == ["IMG_110-plate.jpg": "made", "IMG_120-plate.jpg": "made"])
    #expect(try !String(contentsOf: summary, encoding: .utf8).contains("missing"))
  }

  /// Two cards whose photos are called alike, while both runs are under way.
  @Test(.timeLimit(.minutes(2))) func aNameThatAnotherRunWasQuickerWithIsGivenUp() async throws {
    let output = FilePath(plates.path)
    let folders = BatchFolder(path: output)
    _ = try await makePlates(of: [try otherCard()], into: output, options: try options())
    // What that run has left is put aside until this one has planned its names.
    let name = "IMG_110-plate.jpg"
    let (entry, plate) = (try readFile(folders.entryPath(name)), try readFile(folders.plate(name)))
    for path in [folders.entryPath(name), folders.plate(name)] { try FileManager.default.removeItem(atPath: path.text) }
    try writeBurst(1)
    let claim = try #require(try Claim.take(FilePath.Component(name)!, in: folders.claims))
    let planned = AsyncStream<Void>.makeStream()
    async let outcomes = run(options()) { event in
      if case .found = event { planned.continuation.finish() }
    }
    for await _ in planned.stream {}
    try writeAtomically(entry, to: folders.entryPath(name))
    try writeAtomically(plate, to: folders.plate(name))
    claim.release()
    #expect(try await outcomes == ["IMG_110-plate-2.jpg": "made"])
    #expect(try readFile(folders.plate(name)) == plate)
    #expect(try await run(options()) == ["IMG_110-plate-2.jpg": "done"])
  }

  /// A card whose photos have the names of this one's first burst, and show something else.
  private func otherCard() throws -> FilePath {
    try writeBurst(5, start: "X_")
    let other = folder.appending(path: "other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    for index in 0..<3 {
      try FileManager.default.moveItem(
        at: card.appending(path: "X_\(150 + index).jpg"), to: other.appending(path: "IMG_\(110 + index).jpg"))
    }
    return FilePath(other.path)
  }

  @Test func whatWasNotMadeHereIsNotTouched() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    try FileManager.default.createDirectory(at: plates, withIntermediateDirectories: true)
    let other = plates.appending(path: "IMG_110-plate.jpg")
    try Data("mine".utf8).write(to: other)
    #expect(try await run(options()) == ["IMG_110-plate-2.jpg": "made", "IMG_120-plate.jpg": "made"])
    #expect(try Data(contentsOf: other) == Data("mine".utf8))
    // A plate that somebody has worked on stays, and is not made anew when its burst changes.
    let touched = plates.appending(path: "IMG_120-plate.jpg")
    try Data("better".utf8).write(to: touched)
    #expect(try await run(options())["IMG_120-plate.jpg"] == "done")
    #expect(try await run(options(combine: .mean)) == ["IMG_110-plate-2.jpg": "made", "IMG_120-plate.jpg": "refused"])
    #expect(try Data(contentsOf: touched) == Data("better".utf8))
  }

  @Test func newPicturesDoNotMovePlates() async throws {
    try writeBurst(2)
    #expect(try await run(options(template: "{number} of {date}.jpg")) == ["001 of 2025-06-01.jpg": "made"])
    try writeBurst(1)
    #expect(
      try await run(options(template: "{number} of {date}.jpg")) == [
        "001 of 2025-06-01.jpg": "done", "001 of 2025-06-01-2.jpg": "made",
      ])
  }

  @Test func shardsShareTheWork() async throws {
    for scene in 1...5 { try writeBurst(scene) }
    let first = try await run(options(shard: Shard(number: 1, count: 2)))
    let second = try await run(options(shard: Shard(number: 2, count: 2)))
    #expect(first.count == 3 && second.count == 2 && Set(first.keys).isDisjoint(with: second.keys))
    #expect((Array(first.values) + Array(second.values)).allSatisfy { $0 == "made" })
    #expect(try names().count == 6)
  }

  @Test func runsAtOnceDoNotDoTheSameWork() async throws {
    for scene in 1...4 { try writeBurst(scene) }
    async let one = run(options())
    async let other = run(options())
    let outcomes = try await [one, other]
    for plate in try names() where plate.hasSuffix(".jpg") {
      #expect(outcomes.count { $0[plate] == "made" } == 1, "\(plate): \(outcomes)")
    }
  }

  /// Grey pictures belong together by their times alone, and cannot be registered.
  @Test func aRefusedBurstDoesNotStopTheOthers() async throws {
    try writeBurst(1)
    for index in 0..<3 {
      let grey = try Plane(width: 200, height: 150) { x, _ in 90 + (x + index) % 3 }
      let frame = Frame(
        planes: [grey], encoding: .grey(.full), name: "",
        metadata: Metadata(exif: Card.exif(camera: "A", time: 300_000 + 500 * index)))
      try Data(encode(frame, options: EncodeOptions(format: .jpeg))).write(to: card.appending(path: "grey\(index).jpg"))
    }
    for _ in 0..<2 {
      let outcomes = try await run(options())
      #expect(outcomes["grey0-plate.jpg"] == "refused" && outcomes["IMG_110-plate.jpg"] != "refused")
    }
    #expect(try names() == ["IMG_110-plate.jpg", "batch.json"])
  }

  /// As when a card is still being copied.
  @Test func filesThatGrowWhileTheyAreReadAreNotBelieved() async throws {
    try writeBurst(1)
    let growing = card.appending(path: "IMG_112.jpg")
    let hasGrown = Mutex(false)
    let outcomes = try await run(options()) { event in
      guard case .burst(_, .decoded) = event,
        hasGrown.withLock({ has in
          !has
            && {
              has = true
              return true
            }()
        })
      else { return }
      let file = try? FileHandle(forWritingTo: growing)
      _ = try? file?.seekToEnd()
      try? file?.write(contentsOf: Data([0]))
    }
    #expect(outcomes == ["IMG_110-plate.jpg": "refused"])
    #expect(try names() == ["batch.json"])
    #expect(try await run(options()) == ["IMG_110-plate.jpg": "made"])
  }

  @Test func platesMayLieAmongTheirPictures() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    for expected in ["made", "done"] {
      let result = try await makePlates(
        of: [FilePath(card.path)], into: FilePath(card.appending(path: "plates").path), options: options())
      #expect(result.outcomes.map(\.outcome.word) == [expected, expected])
    }
    for expected in ["made", "done"] {
      let result = try await makePlates(of: [FilePath(card.path)], into: FilePath(card.path), options: options())
      #expect(result.outcomes.map(\.outcome.word) == [expected, expected])
    }
  }

  /// To the byte, whatever waits on disk.
  @Test func memoryDoesNotChangePlates() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    try await run(options())
    let plain = try Data(contentsOf: plates.appending(path: "IMG_120-plate.jpg"))
    try FileManager.default.removeItem(at: plates)
    try await run(options(memory: 1 << 20))
    #expect(try Data(contentsOf: plates.appending(path: "IMG_120-plate.jpg")) == plain)
  }

  /// A photo that is moved away while its plate is made ends that plate alone.
  @Test func vanishedPhotosEndTheirOwnPlate() async throws {
    for scene in 1...2 { try writeBurst(scene) }
    let gone = card.appending(path: "IMG_111.jpg")
    let outcomes = try await run(options()) { event in
      if case .burst(let plate, .started(.stack)) = event, plate.hasPrefix("IMG_110") {
        try? FileManager.default.removeItem(at: gone)
      }
    }
    #expect(outcomes == ["IMG_110-plate.jpg": "refused", "IMG_120-plate.jpg": "made"])
  }

  /// Beside a plate its entry needs a name as well.
  @Test func namesTooLongForAFileAreRefused() async throws {
    try writeBurst(1, start: String(repeating: "a", count: 246))
    try writeBurst(2)
    let outcomes = try await run(options())
    #expect(outcomes.values.sorted() == ["made", "refused"] && outcomes["IMG_120-plate.jpg"] == "made")
  }

  /// What a field stands for is not looked at again.
  @Test func picturesMayBeCalledLikeFields() async throws {
    try writeBurst(1, start: "{number}{")
    #expect(try await run(options()) == ["{number}{110-plate.jpg": "made"])
  }

  @Test(arguments: ["", "a/b.jpg", ".hidden.jpg", "{first", "{place}.jpg"])
  func templatesThatMakeNoNamesAreRefused(_ text: String) {
    #expect(throws: NameTemplateError.self) { try NameTemplate(text) }
  }
}

/// The right to do a piece of work.
struct ClaimTests {
  private let temporary: TemporaryFolder
  private var folder: FilePath { FilePath(temporary.url.path) }

  init() throws {
    temporary = try TemporaryFolder()
  }

  private var owner: FilePath { folder.appending("work").appending("owner.json") }

  @Test func oneHolderAtATime() throws {
    let claim = try #require(try Claim.take("work", in: folder))
    #expect(try Claim.take("work", in: folder) == nil)
    claim.release()
    let next = try Claim.take("work", in: folder)
    #expect(next != nil)
    next?.release()
    #expect(try folderEntries(folder).isEmpty)
  }

  @Test func aProcessThatHasEndedHoldsNothing() throws {
    _ = try #require(try Claim.take("work", in: folder))
    let text = String(decoding: try readFile(owner), as: UTF8.self)
    // The number of this process, begun at another time.
    let other = text.replacing(/"started":"\d+"/, with: "\"started\":\"1\"")
    try #require(other != text)
    try writeAtomically(Array(other.utf8), to: owner)
    #expect(try Claim.take("work", in: folder) != nil)
  }

  /// On another machine, whose processes nobody sees from here.
  @Test func aClaimThatIsNotTouchedForLongIsStale() throws {
    _ = try #require(try Claim.take("work", in: folder))
    let text = String(decoding: try readFile(owner), as: UTF8.self)
    let other = text.replacing(/"world":"[^"]*"/, with: "\"world\":\"elsewhere\"")
    try writeAtomically(Array(other.utf8), to: owner)
    #expect(try Claim.take("work", in: folder) == nil)
    let old = Date(timeIntervalSinceNow: -2 * Claim.patience)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: owner.text)
    #expect(try Claim.take("work", in: folder) != nil)
  }

  /// The clock was put back after its holder was gone.
  @Test func aClaimOfTheFutureIsStale() throws {
    _ = try #require(try Claim.take("work", in: folder))
    let owner = folder.appending("work").appending("owner.json")
    let text = String(decoding: try readFile(owner), as: UTF8.self)
    try writeAtomically(
      Array(text.replacing(/"world":"[^"]*"/, with: "\"world\":\"elsewhere\"").utf8), to: owner)
    let ahead = Date(timeIntervalSinceNow: 86_400)
    try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: owner.text)
    #expect(try Claim.take("work", in: folder) != nil)
  }
}

extension BatchOutcome {
  fileprivate var word: String {
    switch self {
    case .made: "made"
    case .done: "done"
    case .elsewhere: "elsewhere"
    case .refused: "refused"
    case .planned: "planned"
    }
  }
}
