import FileBuilding
import Foundation
import Frames
import TestScenes
import Testing

@testable import CleanPlate
@testable import Codecs

/// What is found on cards: by time, and by sight where time leaves it open.
struct FindBurstsTests {
  private let temporary: TemporaryFolder
  var folder: URL { temporary.url }
  let size = Size(width: 320, height: 240)

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// - Parameters:
  ///   - scene: a seed; with `shift`, which part of it, in pixels to the right.
  ///   - time: thousandths of a second; nil leaves Exif out.
  func write(
    _ name: String, scene: UInt64, index: Int = 0, shift: Double = 0, time: Int?, camera: String = "A",
    exposure: UInt32? = nil, turned: Bool = false
  ) throws {
    let path = folder.appending(path: name)
    try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    let pose = Scene.handheld(index) * Homography(1, 0, shift, 0, 1, 0, 0, 0) ?? .identity
    let photo = try Scene(seed: scene).photo(
      turned ? Size(width: 240, height: 320) : size, camera: pose,
      figures: [.init(x: 40 + 45 * Double(index), y: 150, radius: 20)], noise: 1.5, noiseSeed: UInt64(index))
    try write(name, photo, time: time, camera: camera, exposure: exposure)
  }

  func write(_ name: String, _ photo: Frame, time: Int?, camera: String = "A", exposure: UInt32? = nil) throws {
    let frame = Frame(
      planes: photo.planes, grids: photo.grids, encoding: photo.encoding, name: name,
      metadata: Metadata(exif: time.map { Card.exif(camera: camera, time: $0, exposure: exposure) }))
    try Data(encode(frame, options: EncodeOptions(format: .jpeg))).write(to: folder.appending(path: name))
  }

  /// Kinds of groups and the names of their files' stems, joined.
  func found(
    gap: Double = 30, atLeast: Int = 3, maxFrames: Int = 60, brackets: Bool = false
  ) async throws -> [String] {
    let search = try BurstSearch(gap: gap, atLeast: atLeast, maxFrames: maxFrames, usesBrackets: brackets, threads: 2)
    return try await findBursts(in: [FilePath(folder.path)], search: search).groups.map { group in
      "\(group.kind.rawValue) \(group.files.map { $0.nameWithoutSuffix }.joined(separator: " "))"
    }
  }

  /// Pictures far wider than high are small already where others are reduced.
  @Test func stripsAreLookedAt() async throws {
    for i in 0..<3 {
      let strip = try Scene(seed: 1).photo(
        Size(width: 2400, height: 3), camera: .identity, noise: 1, noiseSeed: UInt64(i))
      try write("a\(i).jpg", strip, time: 500 * i)
    }
    #expect(try await found().joined(separator: " ").contains("a0"))
  }

  /// A file that ends in the middle shows half of its picture, for who accepts that.
  @Test func damagedPicturesBelongToBurstsOnRequest() async throws {
    for i in 0..<4 { try write("a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    let path = folder.appending(path: "a3.jpg")
    let whole = try Data(contentsOf: path)
    try whole.prefix(whole.count * 2 / 3).write(to: path)
    let paths = [FilePath(folder.path)]
    let strict = try await findBursts(in: paths, search: BurstSearch(threads: 2))
    let damaged = "it is damaged or cut short (Premature end of JPEG file)"
    #expect(strict.bursts.map(\.shots.count) == [3] && strict.skipped.map(\.reason) == [.unreadable(why: damaged)])
    let lenient = try await findBursts(in: paths, search: BurstSearch(acceptsDamaged: true, threads: 2))
    #expect(lenient.bursts.map(\.shots.count) == [4] && lenient.skipped.isEmpty)
  }

  /// The last number that there is has none after it.
  @Test func numbersEnd() throws {
    let last = try #require(CardShot.Series(FilePath("a\(Int.max).jpg")))
    let first = try #require(CardShot.Series("a0.jpg"))
    #expect(!last.follows(last) && !first.follows(last))
  }

  @Test func timesTellBurstsOfOneSceneApart() async throws {
    for i in 0..<3 { try write("a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    for i in 3..<6 { try write("a\(i).jpg", scene: 1, index: i, time: 60_000 + 500 * i) }
    #expect(try await found() == ["burst a0 a1 a2", "burst a3 a4 a5"])
    #expect(try await found(gap: 90) == ["burst a0 a1 a2 a3 a4 a5"])
    #expect(try await found(atLeast: 4) == ["few a0 a1 a2", "few a3 a4 a5"])
  }

  /// Seconds between them, and another scene within one of them.
  @Test func sightTellsNeighboursApart() async throws {
    for i in 0..<4 { try write("a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    for i in 4..<8 { try write("a\(i).jpg", scene: i == 6 ? 3 : 2, index: i, time: 2000 + 500 * i) }
    #expect(try await found() == ["burst a0 a1 a2 a3", "burst a4 a5 a7", "single a6"])
  }

  @Test func picturesWithoutTimesAreToldApartBySight() async throws {
    for i in 0..<12 { try write("a\(i).jpg", scene: UInt64(i / 4), index: i, time: nil) }
    #expect(try await found() == ["burst a0 a1 a2 a3", "burst a4 a5 a6 a7", "burst a8 a9 a10 a11"])
  }

  @Test func twoCamerasMayTakeTurns() async throws {
    for i in 0..<4 {
      try write("a\(i).jpg", scene: 1, index: i, time: 1000 * i)
      try write("b\(i).jpg", scene: 1, index: i, time: 1000 * i + 500, camera: "B")
    }
    #expect(try await found() == ["burst a0 a1 a2 a3", "burst b0 b1 b2 b3"])
  }

  /// In the middle of a burst, by more than a day.
  /// What lies in the camera's next folder, taken later by the clock as it was before, comes after.
  @Test func aClockThatIsSetBackEndsNoBurstBesideOtherFolders() async throws {
    let week = 604_800_000
    for i in 0..<3 { try write("100/IMG_010\(i).jpg", scene: 1, index: i, time: week + 500 * i) }
    for i in 3..<6 { try write("100/IMG_010\(i).jpg", scene: 1, index: i, time: 500 * i) }
    for i in 0..<3 { try write("101/IMG_020\(i).jpg", scene: 2, index: i, time: week + 600_000 + 500 * i) }
    #expect(
      try await found() == [
        "burst IMG_0100 IMG_0101 IMG_0102 IMG_0103 IMG_0104 IMG_0105", "burst IMG_0200 IMG_0201 IMG_0202",
      ])
  }

  @Test func aClockThatIsSetBackEndsNoBurst() async throws {
    for i in 0..<6 { try write("IMG_\(100 + i).jpg", scene: 1, index: i, time: (i < 3 ? 90_000_000 : 0) + 500 * i) }
    #expect(try await found() == ["burst IMG_100 IMG_101 IMG_102 IMG_103 IMG_104 IMG_105"])
  }

  @Test func copiesBelongToTheirShots() async throws {
    for i in 0..<3 { try write("a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    try FileManager.default.createDirectory(at: folder.appending(path: "b"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: folder.appending(path: "a1.jpg"), to: folder.appending(path: "b/copy.jpg"))
    let search = try BurstSearch(threads: 2)
    let groups = try await findBursts(in: [FilePath(folder.path)], search: search).groups
    #expect(groups.count == 1 && groups[0].kind == .burst && groups[0].shots.map(\.count) == [1, 2, 1])
  }

  @Test func exposuresThatDifferByStepsAreABracket() async throws {
    let exposures: [UInt32] = [50, 200, 800]
    for i in 0..<6 { try write("a\(i).jpg", scene: 1, index: i, time: 400 * i, exposure: exposures[i % 3]) }
    #expect(try await found() == ["bracket a0 a1 a2 a3 a4 a5"])
    #expect(try await found(brackets: true) == ["burst a0 a1 a2 a3 a4 a5"])
  }

  @Test func manyPicturesOfOneSceneAreATimeLapse() async throws {
    for i in 0..<6 { try write("a\(i).jpg", scene: 1, index: i, time: 5000 * i) }
    #expect(try await found(maxFrames: 5) == ["time-lapse a0 a1 a2 a3 a4 a5"])
  }

  /// Each overlaps the one before by two thirds.
  @Test func picturesSideBySideAreAPanorama() async throws {
    for i in 0..<5 { try write("a\(i).jpg", scene: 1, shift: 110 * Double(i), time: 2000 * i) }
    #expect(try await found() == ["panorama a0 a1 a2 a3 a4"])
  }

  /// A tenth of the width from one to the next.
  @Test func aWalkIsNoBurst() async throws {
    for i in 0..<12 { try write("a\(i).jpg", scene: 1, shift: 32 * Double(i), time: 1500 * i) }
    let groups = try await found()
    #expect(groups.count == 1 && groups[0].hasPrefix("walk "), "\(groups)")
  }

  @Test func unrelatedPicturesAreByThemselves() async throws {
    for i in 0..<8 { try write("a\(i).jpg", scene: UInt64(20 + i), time: 3000 * i) }
    #expect(try await found() == (0..<8).map { "single a\($0)" })
  }

  /// Windows with glass of their own tell where on a façade a picture lies, and which way up it is; where there are none,
  /// one picture of windows fits on any other.
  @Test(arguments: [true, false]) func aFacadeUpsideDownIsAnotherScene(hasOddWindows: Bool) async throws {
    for i in 0..<6 {
      let facade = Facade(hasOddWindows: hasOddWindows, isTurned: hasOddWindows && i == 3)
      try write("a\(i).jpg", facade.photo(index: i), time: 500 * i)
    }
    #expect(try await found() == (hasOddWindows ? ["burst a0 a1 a2 a4 a5", "single a3"] : ["burst a0 a1 a2 a3 a4 a5"]))
  }

  @Test func uprightAndLevelPicturesAreDifferentScenes() async throws {
    for i in 0..<3 { try write("a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    for i in 3..<6 { try write("a\(i).jpg", scene: 7, index: i, time: 500 * i, turned: true) }
    #expect(try await found() == ["burst a0 a1 a2", "burst a3 a4 a5"])
  }

  /// Folders that lead in circles, that cannot be read, files that are cut short, and none of ours.
  @Test func whatIsNoPictureIsNamed() async throws {
    for i in 0..<3 { try write("card/a\(i).jpg", scene: 1, index: i, time: 500 * i) }
    let card = folder.appending(path: "card")
    try FileManager.default.createSymbolicLink(at: card.appending(path: "loop"), withDestinationURL: card)
    let whole = try Data(contentsOf: card.appending(path: "a0.jpg"))
    try whole.prefix(whole.count / 2).write(to: card.appending(path: "half.jpg"))
    try whole.prefix(100).write(to: card.appending(path: "head.jpg"))
    try Data("text".utf8).write(to: card.appending(path: "notes.txt"))
    let plates = card.appending(path: "plates")
    try FileManager.default.createDirectory(at: plates, withIntermediateDirectories: true)
    try whole.write(to: plates.appending(path: "plate.jpg"))
    let found = try await findBursts(
      in: [FilePath(card.path)], search: BurstSearch(threads: 2), except: FilePath(plates.path))
    #expect(found.bursts.map { $0.files.map(\.nameWithoutSuffix) } == [["a0", "a1", "a2"]])
    let skipped = Dictionary(found.skipped.map { ($0.path.nameWithoutSuffix, $0.reason) }) { first, _ in first }
    func damaged(_ detail: String) -> BurstFiles.Skipped.Reason {
      .unreadable(why: "it is damaged or cut short (\(detail))")
    }
    #expect(
      skipped == [
        "loop": .seenAlready, "half": damaged("Premature end of JPEG file"),
        "head": damaged("a segment runs past the end of the file"), "notes": .notAPicture, "plates": .output,
      ])
  }

  /// The card of `RenderTestData card`, smaller.
  @Test func aRenderedCardIsFound() async throws {
    let card = Card(bursts: 8, seed: 4)
    for picture in card.pictures {
      let path = folder.appending(path: picture.path)
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      let bytes = try encode(
        card.photo(picture, size: Size(width: 400, height: 300)), options: EncodeOptions(format: .jpeg))
      try Data(bytes).write(to: path)
    }
    let found = try await findBursts(in: [FilePath(folder.path)], search: BurstSearch(threads: 2)).bursts
    let sets = Set(found.map { Set($0.files.map { String($0.text.dropFirst(folder.path.count + 1)) }) })
    #expect(sets == Set(card.bursts.map { Set($0) }))
  }
}

/// Equal windows all over, some of which may have glass of their own.
private struct Facade {
  let hasOddWindows: Bool
  /// Upside down.
  let isTurned: Bool
  private let size = Size(width: 520, height: 390)

  /// - Parameter index: by which the hand trembles.
  func photo(index: Int) throws -> Frame {
    let turn = Homography(-1, 0, Double(size.width), 0, -1, Double(size.height), 0, 0)
    let hand = Scene.handheld(index)
    let pose = isTurned ? turn * hand ?? hand : hand
    let plane = try Plane(width: size.width, height: size.height) { x, y in
      let sum = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)].reduce(0) {
        $0 + brightness(pose(Point(x: Double(x) + $1.0 - 0.5, y: Double(y) + $1.1 - 0.5)))
      }
      return sum / 4 + Int(hash(x, y, 7 + index) % 9) - 4
    }
    return Frame(planes: [plane], encoding: .grey(.full), name: "")
  }

  private func brightness(_ p: Point) -> Int {
    let (column, row) = ((p.x / 24).rounded(.down), (p.y / 22).rounded(.down))
    let (u, v) = (p.x - 24 * column, p.y - 22 * row)
    guard u < 12, v < 13 else { return 168 }
    if min(u, 12 - u) < 1.5 || min(v, 13 - v) < 1.5 || abs(u - 6) < 0.6 { return 225 }
    let window = hash(Int(column), Int(row), 0)
    return hasOddWindows && window % 10 == 0 ? 30 + Int(window / 10 % 190) : 58
  }

  private func hash(_ x: Int, _ y: Int, _ seed: Int) -> UInt64 {
    var z = UInt64(bitPattern: Int64(x &* 73_856_093 ^ y &* 19_349_663 ^ seed &* 83_492_791)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return z ^ (z >> 31)
  }
}
