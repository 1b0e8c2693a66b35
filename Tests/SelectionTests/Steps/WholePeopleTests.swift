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
        candidates: candidates, agreement: whole.agreement, energy: whole.energy.demanding(demands))
      return try await whole.found(in: choice, unresolved: unresolved, threads: 2)
    }
  }

  /// - Parameter choice: which frame a cell of the place follows at first.
  private func burst(choice: (_ column: Int, _ row: Int) -> UInt8) async throws -> Burst {
    let made = try await candidates(3, size: Self.size) { frame, x, y in
      let left = 40 + 5 * frame
      guard (left..<left + 14).contains(x), (16..<48).contains(y) else { return 120 + (x * 7 + y * 3) % 5 }
      return 30 + 50 * frame + (x - left) % 3
    }
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 1)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 1)
    let evidence = try await CandidateCosts(of: made, agreement, borders, detections: nil, threads: 1)
    let seams = try await SeamCosts(of: made, quietNoise, at: cells, threads: 1)
    let energy = Energy(cells: cells, candidates: made.count, evidence: evidence, seams: seams)
    let grid = made.grid
    let isPlace = (0..<grid.count).map { cell in
      Self.place.contains(grid.column(of: cell)) && (3..<13).contains(grid.row(of: cell))
    }
    return Burst(
      candidates: made, whole: WholePeople(candidates: made, agreement: agreement, energy: energy),
      choice: cells.cells.map {
        isPlace[$0] ? choice(grid.column(of: $0), grid.row(of: $0)) : UInt8(made.median)
      }, unresolved: RegionMask(size: grid.size, isSet: isPlace))
  }

  @Test func piecesBecomeOneFrames() async throws {
    let burst = try await burst { UInt8(($0 + $1) % 3) }
    let found = try await burst.found()
    let frame = try #require(found.values.first)
    #expect(found.values.allSatisfy { $0 == frame })
    // All of him as that frame shows him.
    let left = 40 + 5 * Int(frame)
    for y in stride(from: 16, to: 48, by: 4) {
      for x in stride(from: left, to: left + 14, by: 2) {
        let cell = burst.candidates.grid.cell(x: x, y: y)
        let chosen = found[cell] ?? burst.choice[cell]
        let same = burst.whole.agreement.sets(x: x, y: y)?[Int(chosen)].same ?? 0
        #expect(same.contains(Int(frame)), "(\(x), \(y)) follows \(chosen)")
      }
    }
    // And what is far from him stays.
    #expect(!found.keys.contains { burst.candidates.grid.column(of: $0) < 6 })
  }

  @Test func whoIsWholeStays() async throws {
    let burst = try await burst { _, _ in 1 }
    #expect(try await burst.found().isEmpty)
  }

  @Test func whatIsProtectedStaysTheReferences() async throws {
    let burst = try await burst { UInt8(($0 + $1) % 3) }
    var demands = Demands(in: burst.candidates.grid)
    demands.take(burst.unresolved, from: burst.candidates.reference)
    let found = try await burst.found(demands)
    #expect(found.values.allSatisfy { Int($0) == burst.candidates.reference })
  }
}
