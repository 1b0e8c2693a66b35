import Frames
import Testing

@testable import Selection

/// What speaks for and against candidates.
@Suite struct EvidenceTests {
  /// A wall of 100 with a figure of 30 in columns 8..<16 of some frames.
  private func wall(_ frames: Int, figureIn present: Set<Int>) async throws -> Candidates {
    try await candidates(frames) { frame, x, _ in present.contains(frame) && (8..<16).contains(x) ? 30 : 100 }
  }

  @Test func departuresAreJudgedBySharesOfTheFrames() async throws {
    func verdict(_ present: Set<Int>) async throws -> Departures.Verdict {
      let made = try await wall(10, figureIn: present)
      return try await findDepartures(of: made, quietNoise, threads: 2).verdicts[3]
    }
    #expect(try await verdict([4]) == .settled)
    #expect(try await verdict([4, 7]) == .contested)
    #expect(try await verdict([1, 4, 7]) == .contested)
    #expect(try await verdict([1, 4, 5, 7]) == .open)
  }

  /// However few: they may show what somebody hides in all others. Two who have nothing in common pass by.
  @Test func framesThatDepartTogetherAreContested() async throws {
    func verdict(_ figures: [Int: Int]) async throws -> Departures.Verdict {
      let made = try await candidates(16) { frame, x, _ in (8..<16).contains(x) ? figures[frame] ?? 100 : 100 }
      return try await findDepartures(of: made, quietNoise, threads: 2).verdicts[3]
    }
    #expect(try await verdict([4: 30, 9: 30]) == .contested)
    #expect(try await verdict([4: 30, 9: 200, 12: 31]) == .contested)
    #expect(try await verdict([4: 30, 9: 200]) == .settled)
    #expect(try await verdict([4: 30]) == .settled)
  }

  @Test func agreeingFramesAreCountedAtTheWorstPixel() async throws {
    let made = try await wall(10, figureIn: [2, 3])
    let departures = try await findDepartures(of: made, quietNoise, threads: 1)
    #expect(departures.agreeing[3] == 8 && departures.agreeing[0] == 10)
    #expect(departures.verdicts[0] == .settled)
  }

  /// Five of nine frames show the wall. Four passers-by who look alike may be the wall as well, and it takes somebody to look;
  /// four of whom none looks like another may not.
  @Test func whatMostShowIsUndecidedWhereOthersAgree() async throws {
    func undecided(_ figures: [Int: Int]) async throws -> Set<Int> {
      let made = try await candidates(9) { frame, x, _ in
        (8..<16).contains(x) ? figures[frame] ?? 100 : 100
      }
      let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
      let departures = try await findDepartures(of: made, quietNoise, threads: 2)
      let mask = try await agreement.undecided(departures, of: made, threads: 2)
      return Set(mask.isSet.indices.filter { mask.isSet[$0] }.map { made.grid.column(of: $0) })
    }
    #expect(try await undecided([1: 30, 3: 30, 5: 30, 8: 30]).isSuperset(of: [2, 3]))
    #expect(try await undecided([1: 30, 3: 30, 5: 200, 8: 160]).isSuperset(of: [2, 3]))
    #expect(try await undecided([1: 30, 3: 60, 5: 200, 8: 160]) == [])
    // Nor where the median settles it.
    #expect(try await undecided([1: 30, 3: 30]) == [])
  }

  @Test func rimTakesPart() {
    let grid = CellGrid(pictureSize: Size(width: 40, height: 40))
    var verdicts = Array(repeating: Departures.Verdict.settled, count: grid.count)
    verdicts[grid.cell(x: 20, y: 20)] = .contested
    let cells = ContestedCells(verdicts, in: grid)
    #expect(cells.count == 25 && cells.cells == cells.cells.sorted())
    #expect(cells.position(column: 5, row: 5) == 12 && cells.position(column: 2, row: 5) == nil)
    #expect(cells.position(column: -1, row: 5) == nil)
  }

  @Test func agreementTellsWhoShowsTheSame() async throws {
    let made = try await wall(5, figureIn: [1, 3])
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let inside = try #require(agreement.sets(x: 12, y: 8))
    #expect(inside[0].same == 0b110101 && inside[0].other == 0b001010)
    #expect(inside[1].same == 0b001010 && inside[1].other == 0b110101)
    let outside = try #require(agreement.sets(x: 2, y: 8))
    #expect((0..<6).allSatisfy { outside[$0] == Agreement.Sets(same: 0b111111, other: 0) })
  }

  /// Two photos of a leaf, a third that is exposed for twice as long, so that its green is white's and matched to half of
  /// it, and a fourth with somebody in blue before it.
  @Test func clippedColoursSayNeitherThatOthersShowTheSameNorSomethingElse() async throws {
    let size = Size(width: 24, height: 16)
    let colours = [yCbCr(90, 190, 40), yCbCr(90, 190, 40), yCbCr(90, 127, 40), yCbCr(40, 60, 150)]
    let list = try (colours + [colours[0]]).enumerated().map { index, levels in
      let planes = try levels.map { level in try Plane(width: size.width, height: size.height) { _, _ in level } }
      let isClipped = index == 2
      return Candidate(
        planes: planes, gradient: try gradient(of: planes[0]),
        coverage: Array(repeating: 0..<Int32(size.width), count: size.height),
        clipped: isClipped ? try Plane(width: size.width, height: size.height) { _, _ in 123 } : nil,
        clipsColours: isClipped)
    }
    let made = Candidates(list: list, size: size, reference: 0, chroma: jpegChroma)
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 1)
    let sets = try #require(agreement.sets(x: 9, y: 9))
    #expect(sets[0].same & made.everyFrame == 0b0011 && sets[0].other & made.everyFrame == 0b1000)
    #expect(sets[2].same & made.everyFrame == 0b0100 && sets[2].other & made.everyFrame == 0b1000)
    #expect(sets[3].other & made.everyFrame == 0b0111)
    // Nobody but the one in blue departs from the median.
    let departures = try await findDepartures(of: made, quietNoise, threads: 1)
    #expect(departures.departing.allSatisfy { $0 == 0b1000 })
  }

  @Test func whoDoesNotShowAPixelHasNoSets() async throws {
    let made = try await candidates(
      3, coverage: { frame, _ in frame == 1 ? 0..<4 : nil }, value: { _, _, _ in 80 })
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 1)
    let sets = try #require(agreement.sets(x: 10, y: 5))
    #expect(sets[1] == Agreement.Sets() && sets[0].same == 0b1101)
  }

  @Test func backingCountsStretchesOfTime() {
    let backing = Backing(frames: 9)
    #expect(backing(0) == 0)
    #expect(backing(0b1) == 1 && backing(0b111) == Float(3).squareRoot())
    #expect(backing(0b1_0101_0101) == 5 && backing(0b1_1111_1111) == 3)
    #expect(backing(0b1100_0011) == 2 * Float(2).squareRoot())
    // The median is no frame.
    #expect(backing(0b10_0000_0001) == 1)
  }

  /// The figure brings edges along his outline that the wall lacks.
  @Test func bordersTellWhoBringsEdges() async throws {
    let made = try await wall(5, figureIn: [1, 3])
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    let cell = made.grid.cell(x: 8, y: 8)
    let border = borders.borders[cell * made.pairCount + pairIndex(0, 1, count: made.count)]
    #expect(border.count > 0 && border.excess < 0)
    let costs = try await CandidateCosts(of: Companions(candidates: made, agreement: agreement), borders, threads: 2)
      .costs
    func cost(_ candidate: Int) -> CandidateCosts.Cost { costs[cell * made.count + candidate] }
    #expect(cost(1).borders > 0 && cost(0).borders == 0)
    #expect(cost(1).total > cost(0).total && cost(0).total > cost(made.median).total)
  }

  /// How surely somebody of 30 before a wall of 100 is told to stand in front, in the middle of him.
  private func occluder(
    present: Set<Int>, of frames: Int = 12, size figure: Size = Size(width: 40, height: 56), soft: CandidateSet = 0
  ) async throws -> Float {
    let place = Region(x: 20, y: 20, width: figure.width, height: figure.height)
    let made = try await candidates(frames, size: Size(width: 96, height: 96)) { frame, x, y in
      present.contains(frame) && place.contains(x: x, y: y) ? 30 : 100
    }
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    let one = try await Occluders(of: made, agreement, borders, soft: soft, threads: 1)
    let two = try await Occluders(of: made, agreement, borders, soft: soft, threads: 2)
    let cell = made.grid.cell(x: place.x + figure.width / 2, y: place.y + figure.height / 2)
    #expect(one.certainty(in: cell) == two.certainty(in: cell) && one.certainty(in: 0) == 0)
    return one.certainty(in: cell)
  }

  /// Who is told to stand in front, and what that was learned from.
  private func outlined(_ made: Candidates) async throws -> (Agreement, Borders, Occluders) {
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    return (agreement, borders, try await Occluders(of: made, agreement, borders, soft: 0, threads: 2))
  }

  @Test func outlineTellsWhoStandsInFront() async throws {
    let nearlyAll = Set(0..<12).subtracting([3, 8])
    #expect(try await occluder(present: nearlyAll) == 1)
    // Who is there in a few frames hides nothing of what most show.
    #expect(try await occluder(present: [3, 8]) == 0)
    // One frame alone may show anything, a frame without edges has none to compare, and of a small place edges tell enough.
    #expect(try await occluder(present: Set(0..<12).subtracting([3])) == 0)
    #expect(try await occluder(present: nearlyAll, soft: 1 << 3 | 1 << 8) == 0)
    #expect(try await occluder(present: nearlyAll, size: Size(width: 20, height: 24)) == 0)
  }

  /// In a third of the place a passer-by hides the wall from one of the two frames that show it: what the other shows there goes on
  /// from where they agree. Whoever is known by his outline is seen without a detector, and does not count as free.
  @Test func outlineTellsOfAllOfAPlace() async throws {
    let made = try await candidates(12, size: Size(width: 96, height: 96)) { frame, x, y in
      if frame == 8, (60..<76).contains(x), (24..<72).contains(y) { return 200 }
      return ![3, 8].contains(frame) && (20..<76).contains(x) && (20..<76).contains(y) ? 30 : 100
    }
    let (agreement, _, occluders) = try await outlined(made)
    let companions = Companions(candidates: made, agreement: agreement, occluders: occluders)
    for x in [40, 68] {
      let cell = made.grid.cell(x: x, y: 48)
      #expect(occluders.certainty(in: cell) == 1)
      #expect(companions.showSomebody(with: 0, in: cell) && companions.showSomebody(with: made.median, in: cell))
      #expect(!companions.showFree(with: 0, in: cell) && !companions.showSomebody(with: 3, in: cell))
    }
    let outside = made.grid.cell(x: 6, y: 48)
    #expect(companions.showFree(with: 0, in: outside) && !companions.showSomebody(with: 0, in: outside))
  }

  /// Where the sun shines in most frames the same wall has stronger edges, and so has the rim of what it shines on.
  @Test func lightIsNobody() async throws {
    func certainty(_ shown: @escaping (_ wall: Int, _ x: Int, _ y: Int) -> Int) async throws -> Float {
      let made = try await candidates(12, size: Size(width: 96, height: 96)) { frame, x, y in
        let wall = 60 + (x / 2 * 7 + y / 2 * 13) % 5 * 10
        return ![3, 8].contains(frame) && (20..<76).contains(x) && (20..<76).contains(y) ? shown(wall, x, y) : wall
      }
      return try await outlined(made).2.certainty(in: made.grid.cell(x: 48, y: 48))
    }
    #expect(try await certainty { wall, _, _ in 2 * wall } == 0)
    #expect(try await certainty { _, x, y in 130 + (x / 3 * 5 + y / 3 * 11) % 7 * 8 } == 1)
  }

  /// What speaks for the many who show somebody grows with his area, and so must what speaks against him.
  @Test func whoStandsInFrontCostsMoreThanTheManyWhoShowHim() async throws {
    let made = try await candidates(12, size: Size(width: 96, height: 96)) { frame, x, y in
      ![3, 8].contains(frame) && (20..<76).contains(x) && (20..<76).contains(y) ? 30 : 100
    }
    let (agreement, borders, occluders) = try await outlined(made)
    let costs = try await CandidateCosts(
      of: Companions(candidates: made, agreement: agreement, occluders: occluders), borders, threads: 2
    ).costs
    let inside = made.grid.cell(x: 48, y: 48) * made.count
    #expect(costs[inside].borders == 0 && costs[inside + 3].borders == 0)
    #expect([0, 1, 11, made.median].allSatisfy { costs[inside + $0].total > costs[inside + 3].total })
  }

  /// A flake hides edges of what is behind it, and some in cells in whose middles all show the same.
  @Test func edgesThatAFlakeHidesSayNothingAgainstMany() async throws {
    func borders(with flakes: Set<Int>) async throws -> [Int32] {
      let made = try await candidates(9, size: Size(width: 64, height: 64)) { frame, x, y in
        flakes.contains(frame) && (16..<24).contains(x) && (14..<42).contains(y) ? 90 : 30 + x / 3 % 2 * 120
      }
      let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
      let costs = try await CandidateCosts(
        of: Companions(candidates: made, agreement: agreement),
        Borders(of: made, quietNoise, agreement, threads: 2), threads: 2
      ).costs
      return (0..<made.grid.count).map { costs[$0 * made.count].borders }
    }
    #expect(try await borders(with: [4]).allSatisfy { $0 == 0 })
    // Three frames of nine are more than passers-by.
    #expect(try await borders(with: [4, 5, 6]).contains { $0 > 0 })
  }

  /// A frame that clips shows neither a bright wall's edges nor those of somebody before it; it may show the wall all the same.
  @Test func clippedFramesSayNothingOfEdges() async throws {
    let made = try await candidates(3, saturations: [1: 120]) { frame, x, _ in
      let texture = x / 2 % 2 * 30
      return frame == 1 ? 120 : (8..<16).contains(x) ? 50 + texture : 170 + texture
    }
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let (outside, inside) = (try #require(agreement.sets(x: 4, y: 8)), try #require(agreement.sets(x: 12, y: 8)))
    #expect(outside[0].same.contains(1) && inside[0].other.contains(1))
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    for k in 0..<made.grid.count {
      #expect(borders.borders[k * made.pairCount + pairIndex(0, 1, count: made.count)].count == 0)
    }
  }

  /// The sums over windows that are carried on are those of their cells.
  @Test func costsDoNotDependOnWhereTheyBegin() async throws {
    let made = try await candidates(6, size: Size(width: 96, height: 72)) { frame, x, y in
      (frame * 37 + x / 9 * 13 + y / 7 * 29) % 5 < 2 ? 40 : 120 + x % 7
    }
    let grid = made.grid
    func costs(_ cells: ContestedCells) async throws -> [Int: CandidateCosts.Cost] {
      let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 2)
      let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
      let costs = try await CandidateCosts(of: Companions(candidates: made, agreement: agreement), borders, threads: 2)
        .costs
      return Dictionary(
        uniqueKeysWithValues: cells.cells.indices.flatMap { k in
          (0..<made.count).map { (cells.cells[k] * made.count + $0, costs[k * made.count + $0]) }
        })
    }
    let all = try await costs(everyCell(of: made))
    // Cells of the upper left: those whose windows they hold whole cost the same.
    let part = (0..<grid.count).map { cell in
      grid.column(of: cell) < 12 && grid.row(of: cell) < 11 ? Departures.Verdict.contested : .settled
    }
    let some = try await costs(ContestedCells(part, in: grid))
    for row in 0..<8 {
      for column in 0..<9 {
        for candidate in 0..<made.count {
          let place = (row * grid.columns + column) * made.count + candidate
          #expect(all[place] == some[place])
        }
      }
    }
  }

  @Test func detectionsCountAgainstWhoShowsThem() async throws {
    let made = try await wall(5, figureIn: [1, 3])
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    let seen = try (0..<5).map { frame in
      try Plane(width: 24, height: 16) { x, _ in frame == 1 && (8..<16).contains(x) ? 255 : 0 }
    }
    let detections = Detections(certainty: seen)
    #expect(detections.mean(over: 0b01010, x: 12, y: 8) == 0.5)
    #expect(!detections.isAnybody(x: 2, y: 8) && detections.mean(over: 0, x: 12, y: 8) == 0)
    func total(_ detections: Detections?, _ candidate: Int, doubt: Float) async throws -> Int32 {
      let costs = try await CandidateCosts(
        of: Companions(candidates: made, agreement: agreement, detections: detections, doubt: doubt), borders,
        threads: 1
      ).costs
      return costs[made.grid.cell(x: 12, y: 8) * made.count + candidate].total
    }
    func more(_ candidate: Int, doubt: Float) async throws -> Float {
      try await Float(total(detections, candidate, doubt: doubt) - total(nil, candidate, doubt: doubt))
        / (16 * EnergyWeights.standard.detection * EnergyWeights.unit)
    }
    // Frame 3 shows the same, though nobody was seen in it: two frames, of which one sees him.
    #expect(try await abs(more(3, doubt: 0) - 0.5) < 0.02)
    #expect(try await abs(more(0, doubt: 0)) < 0.02)
    // And one frame in which it is as usual.
    #expect(try await abs(more(3, doubt: 1) - (1 + 0.2) / 3) < 0.02)
    #expect(try await abs(more(0, doubt: 1) - 0.2 / 4) < 0.02)
  }

  /// Where people stand most of the time, nobody is free for having been missed once.
  @Test func whoIsMissedInOneFrameIsHardlyFree() throws {
    let planes = try (0..<6).map { frame in try Plane(width: 1, height: 1) { _, _ in frame < 4 ? 255 : 0 } }
    let crowded = Detections(certainty: planes)
    let usual = crowded.mean(over: 0b111111, x: 0, y: 0)
    func expectation(_ frames: CandidateSet) -> Float {
      crowded.expectation(for: frames, usual: usual, doubt: 1, x: 0, y: 0)
    }
    #expect(abs(expectation(0b000001) - 5.0 / 6) < 1e-6)
    #expect(abs(expectation(0b010000) - 1.0 / 3) < 1e-6)
    #expect(expectation(0b110000) < expectation(0b010000))
    #expect(expectation(0) == usual)
  }

  /// Of frames that nobody looked at is known what is seen in others that show the same, and nothing of themselves.
  @Test func framesNotLookedAtSayNothing() throws {
    let seen = try (0..<4).map { frame in
      frame == 2 ? nil : try Plane(width: 1, height: 1) { _, _ in frame == 1 ? 255 : 0 }
    }
    let some = Detections(certainty: seen)
    #expect(some.isAnybody(x: 0, y: 0))
    #expect(some.mean(over: 0b0110, x: 0, y: 0) == 1 && some.mean(over: 0b1110, x: 0, y: 0) == 0.5)
    #expect(some.mean(over: 0b0100, x: 0, y: 0) == 0)
    func expectation(_ frames: CandidateSet) -> Float {
      some.expectation(for: frames, usual: 0.25, doubt: 1, x: 0, y: 0)
    }
    #expect(expectation(0b0110) == expectation(0b0010) && expectation(0b0100) == 0.25)
  }

  /// Most frames show the wall, so that whoever stands before it is known, and whether he is seen.
  @Test func aDetectorThatMissesMostPeopleIsDoubted() async throws {
    let made = try await wall(5, figureIn: [1, 3])
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    func doubt(seeing: (Int, Int) -> Int) async throws -> Float {
      let planes = try (0..<5).map { frame in try Plane(width: 24, height: 16) { x, _ in seeing(frame, x) } }
      return try await Detections(certainty: planes).doubt(agreement, made, threads: 2)
    }
    func figure(_ x: Int) -> Bool { (8..<16).contains(x) }
    #expect(try await doubt { frame, x in (frame == 1 || frame == 3) && figure(x) ? 204 : 0 } == 0)
    #expect(try await doubt { _, _ in 0 } == 1)
    #expect(try await doubt { _, _ in 204 } == 1)
    // One of the two, and hardly.
    let some = try await doubt { frame, x in frame == 1 && figure(x) ? 102 : 0 }
    #expect(abs(some - 1 / 3) < 0.05)
  }

  /// One frame alone shows the wall: it does, if a detector sees somebody in all others and misses hardly anybody.
  @Test func whatOneFrameShowsIsFreeWhereSomebodyIsSeenInAllOthers() async throws {
    let made = try await wall(4, figureIn: [0, 1, 3])
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    func showsNobody(_ frame: Int, seeing seen: [Int], doubt: Float = 0) throws -> Bool {
      let planes = try (0..<4).map { frame in
        try Plane(width: 24, height: 16) { x, _ in seen.contains(frame) && (8..<16).contains(x) ? 204 : 0 }
      }
      let companions = Companions(
        candidates: made, agreement: agreement, detections: Detections(certainty: planes), doubt: doubt)
      return companions.showNobody(with: frame, in: made.grid.cell(x: 12, y: 8))
    }
    #expect(try showsNobody(2, seeing: [0, 1, 3]))
    #expect(try !showsNobody(0, seeing: [0, 1, 3]))
    #expect(try !showsNobody(2, seeing: [0, 1, 3], doubt: 0.5))
    #expect(try !showsNobody(2, seeing: [0, 1, 2, 3]))
    #expect(try !showsNobody(2, seeing: [0]))
    #expect(try !showsNobody(2, seeing: []))
  }

  private func total(_ made: Candidates, x: Int, _ candidate: Int) async throws -> Float {
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 1)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 1)
    let costs = try await CandidateCosts(
      of: Companions(candidates: made, agreement: agreement), borders, threads: 1
    ).costs
    return Float(costs[made.grid.cell(x: x, y: 8) * made.count + candidate].total) / EnergyWeights.unit
  }

  /// The median of people who differ is a mixture that nobody ever saw.
  @Test func mediansThatFewerThanTwoFramesBackArePracticallyImpossible() async throws {
    let lonely = try await candidates(4) { frame, x, _ in x < 8 ? 100 : 40 + 50 * frame }
    #expect(try await total(lonely, x: 12, lonely.median) > 1000)
    #expect(try await total(lonely, x: 2, lonely.median) < 10)
    let backed = try await candidates(5) { frame, x, _ in x < 8 || frame > 1 ? 100 : 40 + 20 * frame }
    #expect(try await total(backed, x: 12, backed.median) < 10)
  }

  /// Branches in the wind: everywhere most frames show the wall between them, and no frame shows all of it.
  @Test func mediansThatNoFrameShowsAllOverACellCostAsManyPixelsAsTheNearestFrameLacks() async throws {
    func branches(_ rows: [Int?]) async throws -> Float {
      let made = try await candidates(5) { frame, _, y in y == rows[frame] ? 20 : 100 }
      return try await total(made, x: 12, made.median)
    }
    let (swaying, still) = (try await branches([8, 11, 8, 11, 9]), try await branches([8, 11, 8, 11, nil]))
    // Two of the cell's four rows are shown as the median has them by those whose branch is at the cell's other end.
    #expect(abs(swaying - still - 8 * EnergyWeights.standard.mixture) < 0.1)
  }

  /// Somebody at the rim must not be followed for the sake of a column that he alone shows.
  @Test func aFewPixelsThatAreNotShownCostLittle() async throws {
    let made = try await candidates(
      4, coverage: { frame, _ in frame == 0 ? nil : 1..<24 }, value: { frame, x, _ in frame == 0 && x < 6 ? 30 : 100 })
    #expect(try await total(made, x: 1, 1) < 10)
    let cut = try await candidates(
      4, coverage: { frame, _ in frame == 0 ? nil : 4..<24 }, value: { _, _, _ in 100 })
    #expect(try await total(cut, x: 1, 1) > 1000)
  }

  /// What edges along borders cost each candidate in a cell in the midst of a figure that stands before a wall of 100.
  /// - Parameters:
  ///   - figures: how bright each frame shows it.
  ///   - middles: the same around the middle of the cell, if it is another there.
  private func edgeCosts(
    _ figures: [Int], middles: [Int]? = nil, seenIn seen: Set<Int> = []
  ) async throws -> [Int32] {
    let made = try await candidates(figures.count) { frame, x, y in
      let isMiddle = (9..<12).contains(x) && (9..<12).contains(y)
      return (8..<16).contains(x) ? isMiddle ? (middles ?? figures)[frame] : figures[frame] : 100
    }
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    let detections = try Detections(
      certainty: figures.indices.map { frame in
        try Plane(width: 24, height: 16) { x, _ in seen.contains(frame) && (8..<16).contains(x) ? 255 : 0 }
      })
    let costs = try await CandidateCosts(
      of: Companions(candidates: made, agreement: agreement, detections: detections), borders, threads: 2
    ).costs
    let k = try #require(agreement.cells.position(column: 2, row: 2))
    return (0..<made.count).map { costs[k * made.count + $0].borders }
  }

  /// Somebody whose coat is as dark as the wall stands before a post: he lacks its edges.
  @Test func fewDoNotHideWhatManyShow() async throws {
    let few = [30, 30, 30, 100, 30, 30, 30, 100, 30]
    #expect(try await edgeCosts(few).allSatisfy { $0 == 0 })
    let some = try await edgeCosts([30, 30, 100, 100, 30, 30, 30, 100, 30])
    #expect(some[0] > 0 && some[2] == 0)
  }

  /// Who is seen in most frames may go for the sake of few.
  @Test func fewShowWhatManyHideIfSomebodyIsSeen() async throws {
    let costs = try await edgeCosts(
      [30, 30, 30, 100, 30, 30, 30, 100, 30], seenIn: [0, 1, 2, 4, 5, 6, 8])
    #expect(costs[0] > 0 && costs[3] == 0)
  }

  /// Half of the frames are darker than the wall, half are lighter: the median is as smooth as the wall.
  @Test func aMedianThatNobodyShowsHidesNothing() async throws {
    #expect(try await edgeCosts([60, 140, 60, 140]).allSatisfy { $0 == 0 })
  }

  /// What two frames show all over a cell is not given up for a median that two others show at its middle only.
  @Test func aMedianThatNobodyShowsAllOverACellHidesNothingThatTwoShow() async throws {
    let figures = [30, 30, 170, 170, 0, 240]
    let middles = [30, 30, 170, 170, 100, 100]
    let costs = try await edgeCosts(figures, middles: middles)
    #expect(costs[0] == 0 && costs[1] == 0)
    #expect(costs[4] > 0)
    // Whoever is seen in both may go for its sake.
    #expect(try await edgeCosts(figures, middles: middles, seenIn: [0, 1])[0] > 0)
  }
}
