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
    let details = DetailFrames(candidates: made, noise: quietNoise)
    let added = try await details.added(to: choices(made), reusing: nil, threads: 2)
    func detail(_ x: Int, _ y: Int) -> UInt8? { added[made.grid.cell(x: x, y: y)].detail }
    #expect(detail(4, 4) == 0 && detail(32, 24) == 2 && detail(26, 24) == 2)
  }

  /// It would end with an edge.
  @Test func aFrameThatDiffersAllAroundDoesNotLead() async throws {
    let all = try await made()
    let two = Candidates(
      list: [all.list[0], all.list[3], all.list[all.median]], size: all.size, reference: 0, hasChroma: false)
    let added = try await DetailFrames(candidates: two, noise: quietNoise)
      .added(to: choices(two), reusing: nil, threads: 1)
    #expect(added[two.grid.cell(x: 32, y: 24)].detail == nil)
  }

  @Test func whatIsKnownIsTheSameAsWhatIsFoundAnew() async throws {
    let made = try await made()
    let details = DetailFrames(candidates: made, noise: quietNoise)
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
}
