import Frames
import Testing

@testable import Selection

/// Somebody who stands in every frame, a little elsewhere each time.
@Suite struct WholePeopleTests {
  private static let size = Size(width: 96, height: 64)
  /// The columns of cells around him.
  private static let place = 8..<18

  private struct Burst {
    let candidates: Candidates
    let whole: WholePeople
    let choice: [UInt8]
    let unresolved: RegionMask

    func found(_ demands: Demands? = nil) async throws -> [Int: UInt8] {
      let whole = WholePeople(
        companions: whole.companions, energy: whole.energy.demanding(demands))
      return try await whole.found(in: choice, unresolved: unresolved, threads: 2)
    }

    /// The frames that the plate looks like all over.
    func lookedLike(by found: [Int: UInt8]) -> [Int] {
      (0..<candidates.frameCount).filter { frame in
        (0..<candidates.grid.count).allSatisfy { cell in
          let (x, y) = candidates.grid.origin(of: cell)
          let shown = whole.companions.agreement.sets(x: x, y: y)?[Int(found[cell] ?? choice[cell])]
          return shown?.same.contains(frame) ?? false
        }
      }
    }
  }

  /// - Parameters:
  ///   - frames: how many there are.
  ///   - shown: what frames show; somebody who steps aside by 5 pixels from frame to frame, if not given.
  ///   - seen: how surely a detector sees somebody, 0...255; nil when none looked.
  ///   - coverage: the columns that a frame shows; all of them, if not given.
  ///   - choice: which frame a cell of the place follows at first.
  private func burst(
    of frames: Int = 3, showing shown: ((_ frame: Int, _ x: Int, _ y: Int) -> Int)? = nil,
    seeing seen: ((_ frame: Int, _ x: Int, _ y: Int) -> Int)? = nil,
    coverage: (_ frame: Int) -> Range<Int32>? = { _ in nil }, choice: (_ column: Int, _ row: Int) -> UInt8
  ) async throws -> Burst {
    let made = try await candidates(
      frames, size: Self.size, coverage: { frame, _ in coverage(frame) },
      value: { frame, x, y in
        if let shown { return shown(frame, x, y) }
        let left = 40 + 5 * frame
        guard (left..<left + 14).contains(x), (16..<48).contains(y) else { return 120 + (x * 7 + y * 3) % 5 }
        return 30 + 50 * frame + (x - left) % 3
      })
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 1)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 1)
    let detections = try seen.map { seen in
      Detections(
        certainty: try (0..<frames).map { frame in
          try Plane(width: Self.size.width, height: Self.size.height) { x, y in seen(frame, x, y) }
        })
    }
    let evidence = try await CandidateCosts(
      of: Companions(candidates: made, agreement: agreement, detections: detections), borders, threads: 1)
    let seams = try await SeamCosts(of: made, quietNoise, at: cells, threads: 1)
    let energy = Energy(cells: cells, candidates: made.count, evidence: evidence, seams: seams)
    let grid = made.grid
    let isPlace = (0..<grid.count).map { cell in
      Self.place.contains(grid.column(of: cell)) && (3..<13).contains(grid.row(of: cell))
    }
    return Burst(
      candidates: made,
      whole: WholePeople(
        companions: Companions(
          candidates: made, agreement: agreement, detections: detections, doubt: seen == nil ? 1 : 0),
        energy: energy),
      choice: cells.cells.map {
        isPlace[$0] ? choice(grid.column(of: $0), grid.row(of: $0)) : UInt8(made.median)
      }, unresolved: RegionMask(size: grid.size, isSet: isPlace))
  }

  @Test func piecesBecomeOneFrames() async throws {
    let burst = try await burst { UInt8(($0 + $1) % 3) }
    let found = try await burst.found()
    #expect(burst.lookedLike(by: found).count == 1)
    // And what is far from him stays.
    #expect(!found.keys.contains { burst.candidates.grid.column(of: $0) < 6 })
  }

  @Test func whoIsWholeStays() async throws {
    let burst = try await burst { _, _ in 1 }
    #expect(try await burst.found().isEmpty)
  }

  @Test func whoHidesLeastOfWhatIsFreeStays() async throws {
    // In all frames somebody stands at one place. In the first and the last he reaches down to where nobody else is; in the
    // four between he reaches up, a little farther.
    func reachesDown(_ frame: Int) -> Bool { frame == 0 || frame == 5 }
    let burst = try await burst(
      of: 6,
      showing: { frame, x, y in
        let rows = reachesDown(frame) ? 24..<50 : 12..<40
        guard (40..<54).contains(x), rows.contains(y) else { return 120 + (x * 7 + y * 3) % 5 }
        return 20 + 14 * frame + x % 3
      },
      choice: { column, row in row < 6 ? 0 : row < 10 ? UInt8((column + row) % 6) : 1 })
    let shown = burst.lookedLike(by: try await burst.found())
    #expect(shown.count == 1)
    #expect(!shown.contains(where: reachesDown))
  }

  @Test func whatMostShowIsFreeWhateverEdgesItHas() async throws {
    // A post with edges all along, which somebody hides in frames 3 and 4, as dark as it is.
    let burst = try await burst(
      of: 5,
      showing: { frame, x, y in
        let wall = 120 + (x * 7 + y * 3) % 5
        guard (16..<48).contains(y) else { return wall }
        if frame >= 3, (44 + frame..<60 + frame).contains(x) { return 30 + x % 3 }
        return (52..<56).contains(x) ? 30 : wall
      }, choice: { _, _ in 4 })
    let found = try await burst.found()
    for y in stride(from: 16, to: 48, by: 4) {
      for x in stride(from: 48, to: 64, by: 4) {
        let cell = burst.candidates.grid.cell(x: x, y: y)
        let chosen = Int(found[cell] ?? burst.choice[cell])
        let same = burst.whole.companions.agreement.sets(x: x, y: y)?[chosen].same ?? 0
        #expect(same.contains(0), "(\(x), \(y)) follows \(chosen)")
      }
    }
  }

  /// Frame 0 alone shows a place free, and somebody else stands there in each of the others.
  @Test(arguments: [false, true]) func whatOneFrameShowsFreeIsGivenAwayIfADetectorSeesIt(_ looks: Bool) async throws {
    func isSomebody(_ frame: Int, _ x: Int, _ y: Int) -> Bool {
      frame > 0 && (36..<68).contains(x) && (16..<48).contains(y)
    }
    let burst = try await burst(
      showing: { frame, x, y in isSomebody(frame, x, y) ? 20 + 30 * frame + x % 3 : 120 + (x * 7 + y * 3) % 5 },
      seeing: looks ? { isSomebody($0, $1, $2) ? 255 : 0 } : nil, choice: { _, _ in 0 })
    let given = burst.whole.filled(
      by: PlaceCut.Cut(frame: 1, cells: burst.unresolved.isSet.indices.filter { burst.unresolved.isSet[$0] }),
      in: burst.choice)
    // Each of the 8 * 8 cells in which he stands, in one frame of three.
    #expect(looks ? abs(given.shares - 64.0 / 3) < 1e-9 : given.shares == 0)
    #expect(looks ? given.leastSaved > 0 : given.leastSaved == 0)
  }

  @Test func coatsThatLookAlikeAreOnePersons() async throws {
    // Coats of one darkness overlap, so that within them no seam shows.
    let coats = [40..<60, 52..<72, 46..<66]
    let burst = try await burst(
      showing: { frame, x, y in
        coats[frame].contains(x) && (16..<48).contains(y) ? 30 : 120 + (x * 7 + y * 3) % 5
      }, choice: { UInt8(($0 / 2 + $1 / 2) % 3) })
    let found = try await burst.found()
    #expect(burst.lookedLike(by: found).count == 1)
  }

  @Test func nobodyIsCutAtTheWaist() async throws {
    // Somebody with a narrow waist in frames 0 and 1; in the others a bus passes behind which he would be, over his legs' place.
    let burst = try await burst(
      of: 4,
      showing: { frame, x, y in
        let wall = 120 + (x * 7 + y * 3) % 5
        guard frame < 2 else { return (12..<30).contains(y) ? 20 + 30 * (frame - 2) + (x + y) % 3 : wall }
        let columns = (12..<30).contains(y) ? 40..<54 : (30..<34).contains(y) ? 46..<48 : 41..<53
        return columns.contains(x) && (12..<52).contains(y) ? 200 + x % 3 : wall
      }, choice: { column, row in row < 8 ? UInt8((column + row) % 4) : 2 })
    let shown = burst.lookedLike(by: try await burst.found())
    #expect(shown == [0, 1])
  }

  @Test func whatShowsAndWhomItSplitsTellTogether() {
    // What seams an arm has that is left in the air, and what must be saved for those who are whole with it.
    let visible = PlaceCut.Costs(all: 87, seam: 3, before: 113)
    let splitting = PlaceCut.Costs(all: 87, seam: 3, before: 279)
    let filled = WholePeople.Filled(shares: 130, leastSaved: 39.1)
    #expect(isWorthIt(visible, splitting, filled))
    // Neither does by itself.
    let nothing = PlaceCut.Costs(all: 87, seam: 3, before: 87)
    #expect(!isWorthIt(visible, nothing, filled) && !isWorthIt(nothing, splitting, filled))
    // Nor if the new seam shows.
    #expect(!isWorthIt(PlaceCut.Costs(all: 87, seam: 8, before: 113), splitting, filled))
    // Enough is enough.
    #expect(isWorthIt(PlaceCut.Costs(all: 87, seam: 3, before: 127), nothing, filled))
    #expect(isWorthIt(nothing, PlaceCut.Costs(all: 87, seam: 3, before: 557), filled))
  }

  @Test func moreOfASeamMayShowWhereMuchIsSaved() {
    // Somebody at the picture's rim, in pieces, who fills nothing that is free.
    let inPieces = PlaceCut.Costs(all: 29, seam: 7, before: 56)
    let hardlyAny = WholePeople.Filled(shares: 0.6, leastSaved: 0.3)
    #expect(isWorthIt(inPieces, inPieces, hardlyAny))
    // If half of it showed still, nobody would be whole.
    let half = PlaceCut.Costs(all: 50, seam: 28, before: 56)
    #expect(!isWorthIt(half, half, hardlyAny))
    // A crowd of which most is gone, and the pieces that are left of it: less is saved than twice what it would hide again.
    let crowd = WholePeople.Filled(shares: 527, leastSaved: 201)
    let splitting = PlaceCut.Costs(all: 1398, seam: 272, before: 4828)
    #expect(!isWorthIt(PlaceCut.Costs(all: 1267, seam: 140, before: 2205), splitting, crowd))
    #expect(isWorthIt(PlaceCut.Costs(all: 1267, seam: 140, before: 2405), splitting, crowd))
  }

  @Test func whoeverIsCutOffIsWorseThanWhoeverHidesALittleMore() {
    func cost(all: Double, seam: Double, filling shares: Double) -> Double {
      let costs = PlaceCut.Costs(all: all, seam: seam, before: 1400)
      return WholePeople.cost(
        of: PlaceCut.Cut(frame: 0, visible: costs, splitting: costs), filling: WholePeople.Filled(shares: shares))
    }
    #expect(cost(all: 400, seam: 12, filling: 150) < cost(all: 380, seam: 45, filling: 97))
    // Of two who are as whole, whoever hides less is better, and nobody is worth a square that is free.
    #expect(cost(all: 400, seam: 12, filling: 97) < cost(all: 400, seam: 12, filling: 150))
    #expect(cost(all: 380, seam: 45, filling: 97) < cost(all: 400, seam: 12, filling: 500))
  }

  @Test func whoDoesNotShowAllOfAPlaceMayHaveTheRest() async throws {
    // All but the first frame end within the place, which the first may not have.
    let (reference, end) = (0, 60)
    let burst = try await burst(
      coverage: { $0 == reference ? nil : 0..<Int32(end) }, choice: { UInt8(($0 + $1) % 2 + 1) })
    var demands = Demands(in: burst.candidates.grid)
    demands.avoid(CandidateSet(only: reference), in: burst.unresolved)
    let found = try await burst.found(demands)
    let frames = burst.unresolved.isSet.indices
      .filter { burst.unresolved.isSet[$0] && burst.candidates.grid.origin(of: $0).x < end }
      .map { burst.candidates.grid.origin(of: $0) }
      .reduce(burst.candidates.everyFrame) { set, pixel in
        let cell = burst.candidates.grid.cell(x: pixel.x, y: pixel.y)
        let shown = burst.whole.companions.agreement.sets(x: pixel.x, y: pixel.y)
        return set & (shown?[Int(found[cell] ?? burst.choice[cell])].same ?? 0)
      }
    #expect(!found.isEmpty && frames.nonzeroBitCount == 1)
  }

  @Test func whatIsProtectedStaysTheReferences() async throws {
    let burst = try await burst { UInt8(($0 + $1) % 3) }
    var demands = Demands(in: burst.candidates.grid)
    demands.take(burst.unresolved, from: burst.candidates.reference)
    let found = try await burst.found(demands)
    #expect(!found.isEmpty)
    #expect(
      found.allSatisfy { Int($0.value) == burst.candidates.reference || !burst.unresolved.isSet[$0.key] })
  }
}

/// Whether a cut with these costs is worth what it fills.
private func isWorthIt(
  _ visible: PlaceCut.Costs, _ splitting: PlaceCut.Costs, _ filled: WholePeople.Filled
) -> Bool {
  WholePeople.isWorthIt(PlaceCut.Cut(frame: 0, visible: visible, splitting: splitting), filling: filled)
}
