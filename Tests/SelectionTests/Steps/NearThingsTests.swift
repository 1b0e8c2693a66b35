import Frames
import Testing

@testable import Selection

/// What stands near, which every frame shows displaced.
@Suite struct NearThingsTests {
  private static let size = Size(width: 560, height: 240)
  private static let post = (left: 240, width: 8)
  /// By frame, how far what stands near is displaced; the first is the reference.
  private static let shifts = [0, 7, -6, 8, 6, -7]

  /// A wall of stones.
  private static func wall(_ x: Int, _ y: Int) -> Int {
    110 + (x / 8 &* 37 &+ y / 8 &* 59) % 7 * 12 + (x &* 31 &+ y &* 17) % 5
  }

  /// A wall, with what is `drawn` before it, and a post where that is nil.
  private func made(
    drawn: @escaping (_ frame: Int, _ x: Int, _ y: Int) -> Int? = { _, _, _ in nil },
    shows: @escaping (_ frame: Int) -> Bool = { _ in true }
  ) async throws -> Candidates {
    try await candidates(Self.shifts.count, size: Self.size) { frame, x, y in
      if let drawn = drawn(frame, x, y) { return drawn }
      let left = Self.post.left + Self.shifts[frame]
      return shows(frame) && (left..<left + Self.post.width).contains(x) ? 30 + y / 4 % 3 : Self.wall(x, y)
    }
  }

  private func near(_ made: Candidates, detections: Detections? = nil) async throws -> Set<Int> {
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let (one, two) = (
      try await NearThings(of: made, agreement, detections, threads: 1),
      try await NearThings(of: made, agreement, detections, threads: 2)
    )
    let cells = (0..<made.grid.count).filter(one.contains)
    #expect(cells == (0..<made.grid.count).filter(two.contains))
    return Set(cells)
  }

  /// The cells that hold the reference's post, but for the outermost, whose surroundings end.
  private func cellsOfPost(_ grid: CellGrid) -> [Int] {
    (2..<grid.rows - 2).flatMap { row in [60, 61].map { row * grid.columns + $0 } }
  }

  @Test func whatEveryFrameShowsDisplacedIsFound() async throws {
    let made = try await made()
    let near = try await near(made)
    #expect(near.isSuperset(of: cellsOfPost(made.grid)))
    #expect(near.allSatisfy { (58...63).contains(made.grid.column(of: $0)) }, "nothing else is")
  }

  @Test func oneOfFiveFramesMayLackIt() async throws {
    let one = try await made(shows: { $0 != 3 })
    #expect(try await near(one).isSuperset(of: cellsOfPost(one.grid)))
    #expect(try await near(made(shows: { $0 != 3 && $0 != 4 })).isEmpty)
  }

  @Test func whatOnlyTheReferenceShowsIsNot() async throws {
    #expect(try await near(made(shows: { $0 == 0 })).isEmpty)
  }

  /// Whoever stays and sways, and leaves, are found here and there, each part elsewhere.
  @Test func whatDoesNotMoveAsOneIsNot() async throws {
    let torn = try await made(
      drawn: { frame, x, y in
        let salt = UInt32(truncatingIfNeeded: frame * 31 + y / 8) &* 2_654_435_761
        let left = Self.post.left + (frame == 0 ? 0 : Int((salt >> 20) % 17) - 8)
        return (left..<left + Self.post.width).contains(x) ? 30 + x % 3 : Self.wall(x, y)
      })
    #expect(try await near(torn).isEmpty)
  }

  /// The same stripe stands still beside the one that comes with the reference.
  @Test func whatTheReferenceItselfShowsDisplacedIsNot() async throws {
    let stripes = try await made(
      drawn: { frame, x, _ in
        if (300..<303).contains(x) || frame == 0 && (308..<311).contains(x) { return 40 }
        return x > 290 && x < 320 ? 130 : nil
      }, shows: { _ in false })
    #expect(try await near(stripes).isEmpty)
  }

  @Test func whoeverIsSeenIsNot() async throws {
    let made = try await made()
    let (nobody, somebody) = (
      try Plane(width: Self.size.width, height: Self.size.height) { _, _ in 0 },
      try Plane(width: Self.size.width, height: Self.size.height) { x, _ in (230..<260).contains(x) ? 200 : 0 }
    )
    func seen(in frame: Int) -> Detections {
      Detections(certainty: Self.shifts.indices.map { $0 == frame ? somebody : nobody })
    }
    #expect(try await near(made, detections: seen(in: 0)).isEmpty)
    #expect(try await !near(made, detections: seen(in: 1)).isEmpty)
  }

  /// People are neither so long nor so thin.
  @Test func whatIsShortOrThickIsNot() async throws {
    func near(width: Int, height: Int) async throws -> Set<Int> {
      try await self.near(
        made(
          drawn: { frame, x, y in
            let left = Self.post.left + Self.shifts[frame]
            let isIt = (left..<left + width).contains(x) && (20..<20 + height).contains(y)
            return isIt ? 30 : Self.wall(x, y)
          }))
    }
    #expect(try await near(width: 8, height: 40).isEmpty)
    #expect(try await !near(width: 8, height: 200).isEmpty)
    let departing = try await near(width: 60, height: 200)
    #expect(departing.allSatisfy { ![66, 67, 68].contains($0 % (Self.size.width / 4)) }, "the inside departs nowhere")
  }

  @Test func aPostIsFollowedAndNotDoubted() async throws {
    let made = try await made()
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    var companions = Companions(candidates: made, agreement: agreement)
    func costs() async throws -> CandidateCosts {
      try await CandidateCosts(of: companions, borders, soft: 0, threads: 2)
    }
    let without = try await costs()
    companions.nearThings = try await NearThings(of: made, agreement, nil, threads: 2)
    let with = try await costs()
    let cell = try #require(agreement.cells.position(column: 60, row: 20))
    func lead(_ costs: CandidateCosts) -> Int32 {
      let own = costs.costs.base + cell * made.count
      return own[made.median].total - own[made.reference].total
    }
    let pixels = Float(CellGrid.side * CellGrid.side)
    #expect(Int(lead(with) - lead(without)) >= EnergyWeights.whole(pixels * EnergyWeights.standard.near) - 1)

    let choices = try Elements(
      (0..<made.grid.count).map { _ in
        CellChoice(candidate: 0, sources: nil, support: 1, isUnresolved: false, detail: nil)
      })
    let doubted = try await Unconfirmed(choices, of: companions, nil, threads: 2).mask
    companions.nearThings = nil
    let doubtedWithout = try await Unconfirmed(choices, of: companions, nil, threads: 2).mask
    #expect(!doubted.isSet[20 * made.grid.columns + 60] && doubtedWithout.isSet[20 * made.grid.columns + 60])
  }
}

@Suite struct DisplacedPatchesTests {
  private static let size = Size(width: 64, height: 48)
  private static let origin = (x: 24, y: 16)

  /// Frames of noise, in colour; the second is the first, displaced, and the third has nothing in common with it.
  private func made(displacedBy shift: (x: Int, y: Int)) async throws -> Candidates {
    // Multiplicative hashing (Donald E. Knuth, "The Art of Computer Programming", volume 3).
    func noise(_ x: Int, _ y: Int, _ salt: Int) -> Int {
      let mixed = [x, y, salt].reduce(UInt32(1)) { ($0 ^ $0 >> 15 ^ UInt32(truncatingIfNeeded: $1)) &* 2_654_435_761 }
      return 60 + Int((mixed >> 8) % 97)
    }
    let list = try (0..<4).map { frame in
      let planes = try (0..<3).map { plane in
        try Plane(width: Self.size.width, height: Self.size.height) { x, y in
          frame == 1
            ? noise(x - shift.x + 97 * 64, y - shift.y + 97 * 64, plane)
            : noise(x + 97 * 64, y + 97 * 64, plane + 5 * (frame / 2))
        }
      }
      return Candidate(
        planes: planes, gradient: try gradient(of: planes[0]),
        coverage: Array(repeating: 0..<Int32(Self.size.width), count: Self.size.height), clipped: nil)
    }
    return Candidates(list: list, size: Self.size, reference: 0, chroma: nil)
  }

  @Test(arguments: [((3, -2), 9), ((-4, 0), 7), ((0, 5), 4)])
  func findsWhatIsDisplaced(shift: (x: Int, y: Int), beside: Int) async throws {
    let search = DisplacedPatches(try await made(displacedBy: shift), radius: 5)
    #expect(search.others == [1, 2])
    let still = try (1...2).map { try #require(search.still(around: Self.origin, in: $0)) }
    #expect(still == [DisplacedPatches.Found(), DisplacedPatches.Found()])
    let sought = search.sought(
      search.patches(butFor: still), around: Self.origin, displacedBy: search.displacements)
    let some: UInt64 = 0x8100_00ff_1800_0081
    let found = search.pixels(some, of: sought, in: 1)
    let place = try #require(search.displacements.firstIndex { Int($0.x) == shift.x && Int($0.y) == shift.y })
    #expect(found[place] == some && found.indices.allSatisfy { $0 == place || found[$0] == 0 })
    #expect(search.pixels(some, of: sought, in: 2).allSatisfy { $0 == 0 })
    #expect(search.displacements(nextTo: place).count == beside)
  }

  /// Patch by patch, by the definition.
  @Test func stillPatchesDifferByLittle() async throws {
    let base = try await made(displacedBy: (0, 0))
    // By 0 to 30 levels, more to the right, in colours from the tenth row on.
    let other = try base.list[0].planes.enumerated().map { index, plane in
      try Plane(width: Self.size.width, height: Self.size.height) { x, y in
        plane[x, y] + ((index == 0) == (y < 26) ? max(x - 20, 0) * (y % 3) : 0)
      }
    }
    let frame = Candidate(
      planes: other, gradient: base.list[1].gradient, coverage: base.list[1].coverage, clipped: nil)
    let made = Candidates(list: [base.list[0], frame, base.list[2]], size: Self.size, reference: 0, chroma: nil)
    let found = try #require(DisplacedPatches(made, radius: 4).still(around: Self.origin, in: 1))
    var counts = (alike: 0, other: 0)
    for row in 0..<12 {
      for column in 0..<12 {
        var sums = [0, 0, 0]
        for y in 0..<5 {
          for x in 0..<5 {
            let (u, v) = (Self.origin.x - 4 + column + x, Self.origin.y - 4 + row + y)
            for plane in 0..<3 { sums[plane] += abs(made.list[0].planes[plane][u, v] - other[plane][u, v]) }
          }
        }
        let isAlike = sums[0] <= 8 * 25 && sums[1] + sums[2] <= 16 * 25
        #expect(found[row] >> UInt16(column) & 1 == (isAlike ? 1 : 0), "\(column), \(row)")
        if isAlike { counts.alike += 1 } else { counts.other += 1 }
      }
      #expect(found[row] >> 12 == 0)
    }
    #expect(counts.alike > 20 && counts.other > 20)
  }

  @Test func asksOnlyWhereThereAreSamples() async throws {
    let made = try await made(displacedBy: (0, 0))
    let search = DisplacedPatches(made, radius: 5)
    #expect(search.still(around: (x: 0, y: 16), in: 1) == nil)
    #expect(search.still(around: (x: 24, y: 40), in: 1) == nil)
    let cut = Candidate(
      planes: made.list[1].planes, gradient: made.list[1].gradient,
      coverage: Array(repeating: 22..<Int32(Self.size.width), count: Self.size.height), clipped: nil)
    let partly = Candidates(list: [made.list[0], cut, made.list[2]], size: Self.size, reference: 0, chroma: nil)
    #expect(DisplacedPatches(partly, radius: 5).still(around: Self.origin, in: 1) == nil)
    #expect(DisplacedPatches(partly, radius: 5).still(around: (x: 32, y: 16), in: 1) != nil)
  }
}
