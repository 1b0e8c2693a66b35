import Frames
import Testing

@testable import Selection

/// Somebody who stands in every frame, and in each is hidden in part by another passer-by.
@Suite struct PatchedPlaceTests {
  private static let frames = 6
  private static let somebody = Region(x: 40, y: 16, width: 24, height: 144)
  /// Pixels from passer-by to passer-by, of which no two meet, and of each from top to bottom.
  private static let (band, height) = (24, 16)

  /// Whoever passes in a frame, before somebody and far beyond him on either side.
  private static func passer(_ frame: Int) -> Region {
    Region(x: 12, y: somebody.y + band * frame, width: 80, height: height)
  }

  private let candidates: Candidates
  private let departures: Departures
  private let arguments: Contest.Arguments

  init() async throws {
    candidates = try await SelectionTests.candidates(Self.frames, size: Size(width: 104, height: 176)) { frame, x, y in
      func shows(_ region: Region) -> Bool { region.columns.contains(x) && region.rows.contains(y) }
      if shows(Self.passer(frame)) { return 240 - 3 * frame + x % 3 }
      return shows(Self.somebody) ? 15 + 12 * frame + x % 3 : 120 + (x * 7 + y * 3) % 5
    }
    departures = try await findDepartures(of: candidates, quietNoise, threads: 2)
    let agreement = try await Agreement(
      of: candidates, quietNoise, at: ContestedCells(departures.verdicts, in: candidates.grid), threads: 2)
    arguments = try await Contest.Arguments(candidates, quietNoise, agreement, nil, nil, soft: 0, threads: 2)
  }

  /// What is chosen where each cell follows some frame.
  private func settlement(_ frame: (_ column: Int, _ row: Int) -> Int) async throws -> Contest.Settlement {
    let grid = candidates.grid
    let choice = arguments.cells.cells.map { cell in
      let (x, y) = grid.origin(of: cell)
      let isSomebody = Self.somebody.columns.contains(x) && Self.somebody.rows.contains(y)
      return UInt8(isSomebody ? frame(grid.column(of: cell), grid.row(of: cell)) : candidates.median)
    }
    return Contest.Settlement(
      choice: choice, whole: [:],
      decisions: try await arguments.decisions(choice, quietNoise, departures, threads: 2))
  }

  /// The same where nobody passes before somebody: each piece of him comes from a frame whose passer-by is elsewhere.
  private func inPieces() async throws -> Contest.Settlement {
    try await settlement { _, row in
      ((row * CellGrid.side - Self.somebody.y) / Self.band + 1) % Self.frames
    }
  }

  private func whole(_ settled: Contest.Settlement) async throws -> (Contest.Arguments, Contest.Settlement)? {
    try await PatchedPlaces(candidates: candidates, noise: quietNoise)
      .whole(in: settled, by: arguments, departures, soft: 0, threads: 2)
  }

  /// The frames that a plate looks like all over a region.
  private func frames(showing region: Region, in choice: [UInt8], _ arguments: Contest.Arguments) -> [Int] {
    (0..<Self.frames).filter { frame in
      region.rows.allSatisfy { y in
        region.columns.allSatisfy { x in
          let k = arguments.cells.position(of: candidates.grid.cell(x: x, y: y))
          let chosen = k.map { Int(choice[$0]) } ?? candidates.median
          return arguments.agreement.sets(x: x, y: y)?[chosen].same.contains(frame) ?? false
        }
      }
    }
  }

  @Test func piecesBecomeOneFramesWithWhoeverPassesInIt() async throws {
    let settled = try await inPieces()
    let (wider, plate) = try #require(try await whole(settled))
    func frames(showing region: Region) -> [Int] { self.frames(showing: region, in: plate.choice, wider) }
    let shown = frames(showing: Self.somebody)
    let frame = try #require(shown.first)
    #expect(shown.count == 1)
    #expect(frames(showing: Self.passer(frame)) == [frame])
    // Nobody else comes with them.
    for other in 0..<Self.frames where other != frame {
      let beyond = Self.passer(other)
      let rest = Region(x: Self.somebody.columns.upperBound, y: beyond.y, width: 24, height: beyond.height)
      #expect(!frames(showing: rest).contains(other))
    }
    #expect(plate.whole.values.allSatisfy { Int($0) == frame })
  }

  @Test func withoutWhomTheMedianSettledNobodyFits() async throws {
    let settled = try await inPieces()
    #expect(frames(showing: Self.somebody, in: settled.choice, arguments).isEmpty)
    let places = settled.decisions.unresolved(in: candidates.grid).regions(of: true)
    let found = try await WholePeople(companions: arguments.companions, energy: arguments.energy)
      .ofOneFrame(in: places, of: settled.choice, threads: 2)
    let choice = settled.choice.enumerated().map { found[$0.offset] ?? $0.element }
    #expect(!places.isEmpty && frames(showing: Self.somebody, in: choice, arguments).isEmpty)
  }

  @Test func whoIsWholeStays() async throws {
    let settled = try #require(try await whole(try await inPieces())).1
    let frame = try #require(settled.whole.values.first)
    // As he is, but for the passer-by, of whom a little is left.
    #expect(try await whole(try await settlement { _, _ in Int(frame) }) == nil)
  }
}
