import Frames
import Testing

@testable import Selection

/// Plates that are proposed, and what is taken of them.
@Suite struct ProposedPlateTests {
  private static let size = Size(width: 96, height: 64)

  private let candidates: Candidates
  private let arguments: Contest.Arguments
  private let departures: Departures

  /// Somebody with a long neck on the left, there in frames 0 to 2 and gone in 3 to 5. On the right somebody stands elsewhere
  /// in each frame.
  init() async throws {
    candidates = try await SelectionTests.candidates(6, size: Self.size) { frame, x, y in
      let wall = 120 + (x * 7 + y * 3) % 5
      let columns = (24..<36).contains(y) ? 18..<22 : 12..<28
      if frame < 3, columns.contains(x), (12..<52).contains(y) { return 200 + x % 3 }
      let left = 50 + 4 * frame
      return (left..<left + 16).contains(x) && (16..<48).contains(y) ? 20 + 12 * frame + x % 3 : wall
    }
    departures = try await findDepartures(of: candidates, quietNoise, threads: 2)
    arguments = try await Contest.Arguments(
      candidates, quietNoise,
      Agreement(of: candidates, quietNoise, at: everyCell(of: candidates), threads: 2), nil, nil, soft: 0, threads: 2)
  }

  private var plates: ProposedPlates {
    let (arguments, departures) = (arguments, departures)
    return ProposedPlates(
      companions: arguments.companions, energy: arguments.energy,
      decide: { choice, known in
        try await arguments.decisions(choice, quietNoise, departures, reusing: known, threads: 2)
      }, threads: 2)
  }

  /// A candidate for each cell, by its column and row.
  private func choice(_ candidate: (_ column: Int, _ row: Int) -> Int) -> [UInt8] {
    (0..<candidates.grid.count).map {
      UInt8(candidate(candidates.grid.column(of: $0), candidates.grid.row(of: $0)))
    }
  }

  private func proposal(_ choice: [UInt8]) async throws -> ProposedPlates.Proposal {
    ProposedPlates.Proposal(first: choice, decisions: try await plates.decide(choice, nil), whole: [:], choice: choice)
  }

  @Test func seamsThatSplitSomebodyAreDearer() async throws {
    let seams = arguments.energy.seams
    let people = SplitPeople(agreement: arguments.agreement, everyFrame: candidates.everyFrame)
    let left = RegionMask(
      size: candidates.grid.size, isSet: choice { column, _ in column < 12 ? 1 : 0 }.map { $0 == 1 })
    let dearer = try await seams.dearer(in: left, where: people, times: 0.5, threads: 2)
    func costs(_ a: UInt8, _ b: UInt8, column: Int, row: Int) throws -> (before: Int32, after: Int32) {
      let cell = row * candidates.grid.columns + column
      let side = try #require(
        seams.sides.first { Int($0.first) == cell && Int($0.second) == cell + candidates.grid.columns })
      return (seams.cost(of: side, a, b), dearer.cost(of: side, a, b))
    }
    // Through his neck, between who shows him and who does not.
    let neck = try costs(0, 4, column: 5, row: 7)
    #expect(neck.before > 0 && neck.after == neck.before + neck.before / 2)
    // Nobody is split between two who both show him, nor at his feet.
    let both = try costs(0, 2, column: 4, row: 7)
    #expect(both.after == both.before)
    let feet = try costs(0, 4, column: 4, row: 12)
    #expect(feet.after == feet.before)
    // Those on the right are in other places than were asked for.
    let right = try costs(0, 1, column: 15, row: 7)
    #expect(right.before > 0 && right.after == right.before)
  }

  @Test func changesAreWhatThePlatesCost() {
    let energy = arguments.energy
    let before = choice { column, row in (column + row) % 6 }
    let after = choice { column, row in (column * row) % 7 }
    let regions = [3..<8, 12..<20].map { columns in
      before.indices.filter {
        columns.contains(candidates.grid.column(of: $0)) && (2..<13).contains(candidates.grid.row(of: $0))
      }
    }
    let changes = energy.changes(from: before, to: after, in: regions)
    for (region, change) in zip(regions, changes) {
      var plate = before
      for k in region { plate[k] = after[k] }
      #expect(change == energy(plate) - energy(before))
    }
  }

  @Test func whatShowsLessIsTakenPlaceByPlace() async throws {
    // On the left he ends at his waist, on the right are pieces; in the other plate he is gone, and other pieces are there.
    let half = choice { column, row in column < 10 && row >= 11 ? 4 : column < 10 ? 0 : row < 8 ? 1 : 3 }
    let gone = choice { column, row in column < 10 ? 4 : (column + row) % 6 }
    var plate = try await proposal(half)
    plates.take(from: try await proposal(gone), into: &plate)
    for (k, candidate) in plate.choice.enumerated() where candidates.grid.column(of: k) < 10 {
      let differing = arguments.agreement.differing(from: Int(candidate), in: k)
      #expect(!differing.contains(4), "cell \(k)")
    }
    #expect(plate.choice.indices.allSatisfy { candidates.grid.column(of: $0) < 10 || plate.choice[$0] == half[$0] })
    #expect(!plate.whole.isEmpty && plate.whole.allSatisfy { plate.choice[$0.key] == $0.value })
  }

  @Test func settledPlateIsOfOnePiece() async throws {
    let settled = try await plates.settled()
    // On the left most frames decide nothing: he is there or not, but all of him.
    let shown = (0..<6).filter { frame in
      settled.choice.indices.allSatisfy { k in
        candidates.grid.column(of: k) >= 10
          || !arguments.agreement.differing(from: Int(settled.choice[k]), in: k).contains(frame)
      }
    }
    #expect(shown == [0, 1, 2] || shown == [3, 4, 5])
  }
}
