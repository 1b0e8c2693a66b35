import Frames
import Testing

@testable import Selection

/// What belongs to somebody whom a detector saw.
@Suite struct CastShadowTests {
  /// How surely somebody is seen at some columns when a detector saw him in columns 4 to 7 of frame 0. He casts a shadow over
  /// columns 8 to 15.
  private func seen(
    _ columns: [Int], presentIn present: Set<Int>, others: @escaping (_ frame: Int) -> Int = { _ in 100 }
  ) async throws -> [UInt8] {
    let made = try await candidates(5) { frame, x, _ in
      switch x {
      case 4..<8: present.contains(frame) ? 30 : 100
      case 8..<16: present.contains(frame) ? 70 : others(frame)
      default: 100
      }
    }
    let agreement = try await Agreement(of: made, quietNoise, at: everyCell(of: made), threads: 2)
    let plane = try PlaneBuilder(width: 24, height: 16, bits: 8)
    plane.clear()
    for y in 0..<16 {
      for x in 4..<8 { plane.row(y, as: UInt8.self)[x] = 255 }
    }
    CastShadows(of: made, agreement).add(to: plane, frame: 0)
    return columns.map { plane.row(8, as: UInt8.self)[$0] }
  }

  @Test func aShadowGoesWithWhoeverCastsIt() async throws {
    #expect(try await seen([6, 10, 13, 21], presentIn: [0, 1, 2]) == [255, 204, 204, 0])
    #expect(try await seen([6, 10, 13, 21], presentIn: [0, 1, 2, 4]) == [255, 204, 204, 0])
  }

  /// One frame alone shows much that no other shows.
  @Test func whatOneFrameShowsNeedNotBelongTogether() async throws {
    #expect(try await seen([6, 10, 13, 21], presentIn: [0]) == [255, 0, 0, 0])
  }

  @Test func nothingBelongsTogetherWhereTheOthersDisagree() async throws {
    #expect(try await seen([6, 13, 21], presentIn: [0, 1, 2], others: { 40 * $0 }) == [255, 0, 0])
  }
}
