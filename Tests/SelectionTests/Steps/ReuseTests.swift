import Frames
import Testing

@testable import Selection

/// Where more cells take part, what is known of the others is what would be found anew.
@Suite struct ReuseTests {
  /// Walls of several shades with somebody who walks through them, one of whom hides a part of the frame.
  private func made() async throws -> Candidates {
    try await candidates(
      5, size: Size(width: 64, height: 40), coverage: { frame, row in frame == 4 && row > 30 ? 0..<40 : nil },
      value: { frame, x, y in
        let left = 6 + 9 * frame
        if (left..<left + 12).contains(x), (8..<30).contains(y) { return 30 + 20 * frame + (x * y) % 7 }
        return 120 + (x / 8 + y / 8) % 2 * 60 + (x &* 31 &+ y &* 17 &+ frame &* 5) % 4
      })
  }

  private func evidence(
    _ made: Candidates, _ cells: ContestedCells, reusing old: (Agreement, Borders, CandidateCosts)? = nil
  ) async throws -> (Agreement, Borders, CandidateCosts) {
    let agreement = try await Agreement(of: made, quietNoise, at: cells, reusing: old?.0, threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, reusing: old?.1, threads: 2)
    let costs = try await CandidateCosts(
      of: Companions(candidates: made, agreement: agreement), borders, soft: 0b10, reusing: old?.2, threads: 2)
    return (agreement, borders, costs)
  }

  @Test func evidenceIsTheSame() async throws {
    let made = try await made()
    let grid = made.grid
    let some = ContestedCells(
      RegionMask(size: grid.size, isSet: (0..<grid.count).map { (3...8).contains(grid.column(of: $0)) }), in: grid)
    let more = everyCell(of: made)
    let known = try await evidence(made, some)
    let reused = try await evidence(made, more, reusing: known)
    let anew = try await evidence(made, more)
    let differing = (0..<anew.1.borders.count).filter {
      let (a, b) = (anew.1.borders[$0], reused.1.borders[$0])
      return a.excess != b.excess || a.count != b.count
    }
    #expect(differing.isEmpty)
    #expect((0..<anew.2.costs.count).allSatisfy { anew.2.costs[$0] == reused.2.costs[$0] })
    #expect((0..<anew.1.borders.count).contains { anew.1.borders[$0].count > 0 }, "there are borders")
    // Borders at the edge of what was contested reach into the cells that came.
    let edge = try #require(some.position(column: 8, row: 3))
    let same = try #require(more.position(column: 8, row: 3))
    let pairs = made.pairCount
    #expect(
      (0..<pairs).contains { known.1.borders[edge * pairs + $0].count != anew.1.borders[same * pairs + $0].count })
  }

  @Test func whatIsDecidedIsTheSame() async throws {
    let made = try await made()
    let (agreement, borders, costs) = try await evidence(made, everyCell(of: made))
    let seams = try await SeamCosts(of: made, quietNoise, at: agreement.cells, threads: 2)
    let departures = try await findDepartures(of: made, quietNoise, threads: 2)
    let occluders = try await Occluders(of: made, agreement, borders, soft: 0, threads: 2)
    let arguments = Contest.Arguments(
      companions: Companions(candidates: made, agreement: agreement, occluders: occluders), borders: borders,
      energy: Energy(cells: agreement.cells, candidates: made.count, evidence: costs, seams: seams))
    func decided(_ choice: [UInt8], reusing old: CellDecisions? = nil) async throws -> CellDecisions {
      try await arguments.decisions(choice, quietNoise, departures, reusing: old, threads: 2)
    }
    let median = [UInt8](repeating: UInt8(made.median), count: agreement.cells.count)
    let other = agreement.cells.cells.map { UInt8(made.grid.column(of: $0) < 6 ? 2 : made.median) }
    let settled = try await decided(median)
    let (anew, reused) = (try await decided(other), try await decided(other, reusing: settled))
    #expect((0..<anew.choices.count).allSatisfy { anew.choices[$0] == reused.choices[$0] })
    let again = try await decided(median, reusing: try await decided(other))
    #expect((0..<settled.choices.count).allSatisfy { settled.choices[$0] == again.choices[$0] })
  }
}
