import Frames
import Testing

@testable import Selection

/// Where frames end within the plate, and what that costs.
@Suite struct FrameEndTests {
  private static let size = Size(width: 24, height: 16)

  /// Frame 0 shows all, and something dark in its left half; the others begin in column 6, one of them in column 5.
  private func made() async throws -> Candidates {
    try await candidates(
      4, size: Self.size, coverage: { frame, _ in frame == 0 ? nil : frame == 1 ? 5..<24 : 6..<24 },
      value: { frame, x, _ in frame == 0 && x < 12 ? 40 : 120 })
  }

  @Test func endsCostWhatShowsOfThem() async throws {
    let made = try await made()
    let ends = FrameEnds(of: made, quietNoise, within: Self.size.bounds)
    // The second column of cells, in which the frames end, and no other.
    #expect(ends.ends.keys.sorted() == [1, 7, 13, 19])
    let end = try #require(ends.ends[1])
    #expect(end.goingOn == 0b11)
    // Four rows, counted on both sides. Where frames 2 and 3 end, frame 1 goes on and shows the same.
    #expect(end.costs[0] == 0 && end.costs[1] == 8)
    // One column further they are filled in by the median, which is half of frame 1 there.
    #expect(end.costs[2] == 8 && end.costs[3] == 8 && end.costs[made.median] == 8)
  }

  @Test func nothingEndsBeyondThePlate() async throws {
    let made = try await made()
    #expect(FrameEnds(of: made, quietNoise, within: Region(x: 6, y: 0, width: 18, height: 16)).ends.isEmpty)
    #expect(FrameEnds.none.ends.isEmpty && FrameEnds.none.shown.area == 0)
  }

  @Test func endsThatDoNotShowCostNothing() async throws {
    let made = try await candidates(
      3, size: Self.size, coverage: { $0 == 0 ? nil : $1 < 4 ? 0..<0 : 0..<24 },
      value: { frame, _, _ in 100 + frame % 2 })
    let ends = FrameEnds(of: made, quietNoise, within: Self.size.bounds)
    // The second row of cells.
    #expect(ends.ends.keys.sorted() == Array(6..<12))
    #expect(ends.ends.values.allSatisfy { $0.costs.allSatisfy { $0 == 0 } })
  }

  @Test func seamsKnowWhatFillsAFrameIn() async throws {
    let made = try await made()
    let ends = FrameEnds(of: made, quietNoise, within: Self.size.bounds)
    let cells = everyCell(of: made)
    let (shown, hidden) = (
      try await SeamCosts(of: made, quietNoise, at: cells, ends: ends, threads: 1),
      try await SeamCosts(of: made, quietNoise, at: cells, threads: 1)
    )
    let side = try #require(shown.sides.first { $0.first == 0 && $0.second == 1 })
    // Frame 2 shows neither column along the side: in the plate frame 0 stands there, and no seam with it.
    #expect(shown.cost(of: side, 0, 2) == 1 && hidden.cost(of: side, 0, 2) == 1)
    // Somebody else beside it is a seam as long as the side. Where the plate does not show it, there is none.
    let other = try await candidates(
      3, size: Self.size, coverage: { frame, _ in frame == 2 ? 8..<24 : nil },
      value: { frame, x, _ in frame == 0 && x < 12 ? 40 : 120 })
    let around = FrameEnds(of: other, quietNoise, within: Self.size.bounds)
    let (seen, unseen) = (
      try await SeamCosts(of: other, quietNoise, at: cells, ends: around, threads: 1),
      try await SeamCosts(of: other, quietNoise, at: cells, threads: 1)
    )
    #expect(seen.cost(of: side, 1, 2) > 1 && unseen.cost(of: side, 1, 2) == 1)
    let k = try #require(cells.position(of: 2))
    #expect(seen.towardsSettled[k * other.count + 2] == 0)
    #expect(
      shown.towardsSettled[1 * made.count + 1] == Int32(EnergyWeights.whole(8))
        && hidden.towardsSettled[1 * made.count + 1] == 0)
  }
}
