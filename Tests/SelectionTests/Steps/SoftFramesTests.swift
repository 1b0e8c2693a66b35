import Frames
import Testing

@testable import Selection

/// Which frames lack the edges that most have.
@Suite struct SoftFramesTests {
  private static let size = Size(width: 256, height: 192)

  /// Windows in a wall.
  private static func wall(_ x: Int, _ y: Int) -> Int { x % 12 < 5 && y % 10 < 6 ? 40 : 150 }

  private static func movedDown(_ x: Int, _ y: Int) -> Int { (0..<5).reduce(0) { $0 + wall(x, y + $1) } / 5 }

  @Test func blurAlongOneAxisIsFound() async throws {
    let made = try await candidates(5, size: Self.size) { frame, x, y in
      frame == 3 ? Self.movedDown(x, y) : Self.wall(x, y)
    }
    #expect(try await made.softFrames(threads: 2) == CandidateSet(only: 3))
  }

  @Test func peopleBeforeEdgesAreNoBlur() async throws {
    let made = try await candidates(5, size: Self.size) { frame, x, y in
      // In each frame somebody else fills a quarter.
      (48 * frame..<48 * frame + 64).contains(x) ? 90 : Self.wall(x, y)
    }
    #expect(try await made.softFrames(threads: 2) == 0)
  }

  @Test func displacedFramesAreFound() async throws {
    let made = try await candidates(4, size: Self.size) { frame, x, y in
      Self.wall(frame == 1 ? x + 3 : x, frame == 1 ? y + 4 : y)
    }
    #expect(try await made.softFrames(threads: 2) == CandidateSet(only: 1))
  }

  @Test func burstsWithoutEdgesAreNotSoft() async throws {
    let made = try await candidates(3, size: Self.size) { frame, x, _ in 100 + frame + x / 16 }
    #expect(try await made.softFrames(threads: 2) == 0)
  }

  /// A frame that is soft backs what others show, and is not followed for lack of edges.
  @Test func nobodyFollowsASoftFrame() async throws {
    let made = try await candidates(5, size: Self.size) { frame, x, y in
      frame == 3 ? Self.movedDown(x, y) : Self.wall(x, y)
    }
    let cells = everyCell(of: made)
    let agreement = try await Agreement(of: made, quietNoise, at: cells, threads: 2)
    let borders = try await Borders(of: made, quietNoise, agreement, threads: 2)
    func costs(_ soft: CandidateSet) async throws -> [Int32] {
      let costs = try await CandidateCosts(
        of: Companions(candidates: made, agreement: agreement), borders, soft: soft, threads: 2
      ).costs
      return (0..<costs.count).map { costs[$0].total }
    }
    let (without, with) = (try await costs(0), try await costs(made.softFrames(threads: 1)))
    let more = Int32(EnergyWeights.whole(EnergyWeights.standard.soft * Float(CellGrid.side * CellGrid.side)))
    for place in without.indices {
      let difference = with[place] - without[place]
      // Sums are rounded once, so that a difference may be off by one.
      #expect(place % made.count == 3 ? abs(difference - more) <= 1 : difference == 0)
    }
  }
}
