import Frames
import Testing

@testable import Selection

/// Seams, the energy and its minimum.
@Suite struct SeamTests {
  /// Frame 1 differs in columns 8..<16, frame 2 hardly does.
  private func made() async throws -> Candidates {
    try await candidates(3) { frame, x, _ in frame == 1 && (8..<16).contains(x) ? 30 : 100 + frame % 2 }
  }

  @Test func seamsShowWhereCandidatesDiffer() async throws {
    let made = try await made()
    let seams = try await SeamCosts(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    func side(_ first: Int, _ second: Int) -> SeamCosts.Side? {
      seams.sides.first { $0.first == first && $0.second == second }
    }
    let inside = try #require(side(2, 3))
    let outside = try #require(side(0, 6))
    #expect(seams.cost(of: inside, 0, 0) == 0)
    // A seam costs a little even where nobody sees it, and is as long as a cell's side, seen from both.
    #expect(seams.cost(of: outside, 0, 1) == 1 && seams.cost(of: outside, 1, 0) == 1)
    #expect(seams.cost(of: inside, 0, 1) == Int32(2 * 4 * EnergyWeights.unit + 1))
    #expect(seams.cost(of: inside, 0, 2) == 1)
  }

  @Test func seamsWithSettledCellsAreTheMedians() async throws {
    let made = try await made()
    var verdicts = Array(repeating: Departures.Verdict.settled, count: made.grid.count)
    verdicts[2] = .contested
    let cells = ContestedCells(verdicts, in: made.grid)
    let seams = try await SeamCosts(of: made, quietNoise, at: cells, threads: 1)
    #expect(cells.count == 15)
    // The column of cells to the right of 0..<5 is settled.
    let k = try #require(cells.position(column: 4, row: 1))
    #expect(seams.towardsSettled[k * made.count + 1] == 1 && seams.towardsSettled[k * made.count + made.median] == 0)
  }

  @Test func choiceHasTheLeastEnergyOfAll() async throws {
    // Four cells in a row and three candidates: all 81 choices can be tried.
    let made = try await candidates(2, size: Size(width: 16, height: 4)) { frame, x, _ in
      frame == 0 ? 60 + 3 * x : (4..<12).contains(x) ? 180 : 60 + 3 * x
    }
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 1)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 1)
    let evidence = try await CandidateCosts(of: Companions(candidates: made, agreement: agreement), borders, threads: 1)
    let seams = try await SeamCosts(of: made, quietNoise, at: cells, threads: 1)
    let energy = Energy(cells: cells, candidates: made.count, evidence: evidence, seams: seams)
    let choice = try chooseCandidates(energy, threads: 2)
    let all = (0..<81).map { code in [1, 3, 9, 27].map { UInt8(code / $0 % 3) } }
    #expect(energy(choice).total == all.map { energy($0).total }.min())
    let terms = energy(choice)
    #expect("\(terms)" == "\(terms.total) = \(terms.pixels) pixels + \(terms.borders) borders + \(terms.seams) seams")
  }

  @Test func formulaIsPrinted() {
    #expect(
      "\(EnergyWeights.standard)"
        == "E = 0.05 log(backing) + 0.08 detection + 0.12 occluder + 0.16 near + 0.02 not median + 0.5 uncovered + 0.5 soft "
        + "+ 0.1 doubted + 0.1 mixture + 8.0 border + seam(2.0...6.0 sigma) + 1/31 a side; without borders and + 8/31 a side where people are kept whole"
    )
  }

  @Test func nothingContestedNeedsNoChoice() async throws {
    let made = try await made()
    let cells = ContestedCells(Array(repeating: .settled, count: made.grid.count), in: made.grid)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 1)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 1)
    let energy = Energy(
      cells: cells, candidates: made.count,
      evidence: try await CandidateCosts(of: Companions(candidates: made, agreement: agreement), borders, threads: 1),
      seams: try await SeamCosts(of: made, quietNoise, at: cells, threads: 1))
    #expect(try chooseCandidates(energy, threads: 2).isEmpty && energy([]).total == 0)
  }
}
