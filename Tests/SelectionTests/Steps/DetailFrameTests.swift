import Frames
import Testing

@testable import Selection

/// Whose details are kept where the reference shows something else than most.
@Suite struct DetailFrameTests {
  private static let size = Size(width: 64, height: 48)

  /// Frame 0, the reference, shows somebody in the middle; frame 1 a faint shade in half of that place; frame 3 is darker
  /// all around it.
  private func made() async throws -> Candidates {
    try await candidates(5, size: Self.size) { frame, x, y in
      let isInside = (24..<40).contains(x) && (16..<32).contains(y)
      return switch frame {
      case 0 where isInside: 60
      case 1 where isInside && x < 32: 92
      case 3 where !isInside: 92
      default: 100
      }
    }
  }

  /// All cells follow the median; the reference's details are kept where it shows the same.
  private func choices(_ made: Candidates, but other: Set<Int> = []) throws -> Elements<CellChoice> {
    try Elements(
      (0..<made.grid.count).map { cell in
        let isShown = made.referenceShows(made.median, cell: cell, quietNoise)
        return CellChoice(
          candidate: UInt8(other.contains(cell) ? 2 : made.median), sources: other.contains(cell) ? 0b100 : nil,
          support: 3,
          isUnresolved: false, detail: other.contains(cell) ? 2 : isShown ? 0 : nil)
      })
  }

  @Test func theFrameThatShowsMostOfAPlaceLeads() async throws {
    let made = try await made()
    let details = DetailFrames(candidates: made, noise: quietNoise, detections: nil)
    let added = try await details.added(to: choices(made), reusing: nil, threads: 2)
    func detail(_ x: Int, _ y: Int) -> UInt8? { added[made.grid.cell(x: x, y: y)].detail }
    #expect(detail(4, 4) == 0 && detail(32, 24) == 2 && detail(26, 24) == 2)
  }

  /// It would end with an edge.
  @Test func aFrameThatDiffersAllAroundDoesNotLead() async throws {
    let all = try await made()
    let two = Candidates(
      list: [all.list[0], all.list[3], all.list[all.median]], size: all.size, reference: 0, chroma: nil)
    let added = try await DetailFrames(candidates: two, noise: quietNoise, detections: nil)
      .added(to: choices(two), reusing: nil, threads: 1)
    #expect(added[two.grid.cell(x: 32, y: 24)].detail == nil)
  }

  @Test func oneFrameAloneHasNobodyToAsk() async throws {
    let all = try await made()
    let one = Candidates(
      list: [all.list[0], all.list[all.median]], size: all.size, reference: 0, chroma: nil)
    let added = try await DetailFrames(candidates: one, noise: quietNoise, detections: nil)
      .added(to: choices(one), reusing: nil, threads: 1)
    #expect(added[one.grid.cell(x: 32, y: 24)].detail == nil && added[one.grid.cell(x: 4, y: 4)].detail == 0)
  }

  @Test func whatIsKnownIsTheSameAsWhatIsFoundAnew() async throws {
    let made = try await made()
    let details = DetailFrames(candidates: made, noise: quietNoise, detections: nil)
    let known = try await details.added(to: choices(made), reusing: nil, threads: 1)
    // An edit takes a part of the place, or something far from it.
    for part in [made.grid.cell(x: 32, y: 24), made.grid.cell(x: 4, y: 40)] {
      let edited = try choices(made, but: [part])
      let anew = try await details.added(to: edited, reusing: nil, threads: 1)
      let reused = try await details.added(to: edited, reusing: known, threads: 1)
      #expect((0..<made.grid.count).allSatisfy { anew[$0] == reused[$0] })
      #expect(reused[part].detail == 2 && reused[made.grid.cell(x: 38, y: 24)].detail == 2)
    }
  }

  /// Leaves that every frame shows elsewhere fill the middle.
  /// - Parameter somebody: the shade of whom the reference shows before them; nil for nobody.
  private func leaves(before somebody: Int? = nil) async throws -> Candidates {
    try await candidates(5, size: Self.size) { frame, x, y in
      guard (24..<40).contains(x) && (16..<32).contains(y) else { return 100 }
      if frame == 0, let somebody { return somebody }
      return 84 + (x / 3 * 7 + y / 3 * 5 + frame * 11) * 37 % 33
    }
  }

  @Test(arguments: [true, false]) func theReferenceLeadsWhereNothingStandsStill(seen: Bool) async throws {
    let made = try await leaves()
    // Somebody who is seen in any frame is why they differ.
    let nobody = try Plane(width: Self.size.width, height: Self.size.height) { _, _ in 0 }
    let somebody = try Plane(width: Self.size.width, height: Self.size.height) { x, y in
      (20..<44).contains(x) && (12..<36).contains(y) ? 200 : 0
    }
    let detections = Detections(certainty: (0..<5).map { $0 == 3 && seen ? somebody : nobody })
    let added = try await DetailFrames(candidates: made, noise: quietNoise, detections: detections)
      .added(to: choices(made), reusing: nil, threads: 2)
    let inside = made.grid.cells(within: 1, of: made.grid.cell(x: 32, y: 24))
    #expect(!made.referenceShows(made.median, cell: inside[4], quietNoise))
    #expect(inside.allSatisfy { (added[$0].detail == 0) != seen })
  }

  /// Neither where he can be told from leaves, nor where he departs hardly more than they do.
  @Test(arguments: [60, 84]) func theReferenceDoesNotLeadWhereItShowsSomebodyBeforeLeaves(shade: Int) async throws {
    let made = try await leaves(before: shade)
    let added = try await DetailFrames(candidates: made, noise: quietNoise, detections: nil)
      .added(to: choices(made), reusing: nil, threads: 1)
    #expect(made.grid.cells(within: 1, of: made.grid.cell(x: 32, y: 24)).allSatisfy { added[$0].detail != 0 })
  }

  @Test(arguments: [
    // The side of what the reference shows a little darker, by how much, and who leads.
    (8, 8, UInt8(0)),
    // So much may be somebody's,
    (8, 18, 1),
    // and so large a shade, too.
    (12, 8, 1),
  ])
  func theReferenceLeadsWhereItHardlyDepartsInAFewCells(side: Int, darker: Int, leader: UInt8) async throws {
    let made = try await candidates(5, size: Self.size) { frame, x, y in
      frame == 0 && (24..<24 + side).contains(x) && (16..<16 + side).contains(y) ? 100 - darker : 100
    }
    let added = try await DetailFrames(candidates: made, noise: quietNoise, detections: nil)
      .added(to: choices(made), reusing: nil, threads: 1)
    let inside = [(25, 17), (29, 21)].map { made.grid.cell(x: $0.0, y: $0.1) }
    #expect(inside.allSatisfy { !made.referenceShows(made.median, cell: $0, quietNoise) && added[$0].detail == leader })
  }

  private static func isInside(_ x: Int, _ y: Int) -> Bool { (24..<40).contains(x) && (16..<32).contains(y) }

  /// Every frame but the reference is darker on another side of the middle.
  private static func isAtSide(_ side: Int, _ x: Int, _ y: Int) -> Bool {
    switch side {
    case 1: x < 24
    case 2: x >= 40
    case 3: y < 16
    default: y >= 32
    }
  }

  /// Of the nine cells in the middle.
  private func details(of made: Candidates) async throws -> [UInt8?] {
    let added = try await DetailFrames(candidates: made, noise: quietNoise, detections: nil)
      .added(to: choices(made), reusing: nil, threads: 2)
    return made.grid.cells(within: 1, of: made.grid.cell(x: 32, y: 24)).map { added[$0].detail }
  }

  @Test(arguments: [
    // The shade of the reference, whether two frames show the median all over, and who leads.
    (100, false, UInt8(0)),
    // Somebody may stand there.
    (60, false, nil),
    // That is what is there.
    (100, true, nil),
  ])
  func theReferenceLeadsWhereNoFrameMeetsItAndNoTwoShowTheMedian(
    reference: Int, isConfirmed: Bool, leader: UInt8?
  ) async throws {
    let made = try await candidates(5, size: Self.size) { frame, x, y in
      guard Self.isInside(x, y) else { return frame > 0 && Self.isAtSide(frame, x, y) ? 92 : 100 }
      guard frame > 0 else { return reference }
      let showsMedian = isConfirmed ? frame <= 2 : (frame <= 2) == (x < 32)
      return showsMedian ? 108 : frame.isMultiple(of: 2) ? 96 : 120
    }
    // The step in the middle is nobody's.
    let sides = try await details(of: made).enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
    #expect(sides.allSatisfy { $0 == leader })
  }

  @Test(arguments: [
    // What the frames show, and who leads.
    ([60, 80, 130, 134], UInt8(2)),
    // As many show something else.
    ([60, 64, 130, 134], nil),
  ])
  func whereNobodyShowsTheMedianAFrameLeadsThatOthersBack(shades: [Int], leader: UInt8?) async throws {
    let made = try await candidates(4, size: Self.size) { frame, x, y in Self.isInside(x, y) ? shades[frame] : 100 }
    #expect(try await details(of: made).allSatisfy { $0 == leader })
  }

  @Test func aPlaceIsSharedOutAmongFewFrames() async throws {
    let common = CommonDetails(candidates: try await made(), noise: quietNoise, asked: [4, 2, 1])
    #expect(common.frames(backedBy: [[3, 3, 0], [0, 3, 4], [3, 0, 0], [0, 0, 0]]) == [4, 1, 4, nil])
    #expect(common.frames(backedBy: [[3, 4, 0], [0, 3, 4], [0, 0, 2], [2, 0, 0]]) == [2, 2, 1, 4])
    #expect(common.frames(backedBy: []) == [])
  }

  @Test(arguments: [
    // Their median, 96, is nobody's. 1...3 show the same, 3 and 5 as well, and 0 and 4.
    ([60, 103, 106, 109, 62, 114, 30, 89], [3, 3, 4, 0, 0, 0, 0]),
    // Somebody shows it.
    ([60, 103, 106, 109, 62, 114, 30, 91], [0, 0, 0, 0, 0, 0, 0]),
    // Two of eight are too few.
    ([60, 103, 116, 109, 70, 124, 30, 80], [0, 0, 0, 0, 0, 0, 0]),
  ])
  func thoseAreFollowedWhomMostBack(shades: [Int], backers: [Int]) async throws {
    let made = try await candidates(8, size: Self.size) { frame, _, _ in shades[frame] }
    let common = CommonDetails(candidates: made, noise: quietNoise, asked: Array(1...7))
    #expect(common.backers(in: made.grid.cell(x: 32, y: 24)) == backers)
  }

  @Test func departuresAreInShadesThatMayDiffer() async throws {
    func columns(frame: Int, _: Int) -> Range<Int32>? { frame == 2 ? 0..<56 : nil }
    let made = try await candidates(3, size: Self.size, coverage: columns) { frame, x, _ in
      frame == 1 && x >= 32 ? 112 : 100
    }
    func departure(_ frame: Int, _ x: Int) -> Float? {
      made.departure(of: frame, cell: made.grid.cell(x: x, y: 24), quietNoise)
    }
    // Three times two levels are one; beside a step, means see a part of it.
    #expect(departure(1, 44) == 2 && departure(1, 8) == 0 && departure(0, 44) == 0)
    let atStep = try #require(departure(1, 32))
    #expect(atStep > 1.5 && atStep < 2)
    #expect(departure(2, 52) == nil && departure(2, 48) == 0)
  }
}
