import Testing

@testable import Frames

@Suite struct RegionMaskTests {
  /// Drawn with # for what is set.
  private func mask(_ rows: String...) -> RegionMask {
    RegionMask(size: Size(width: rows[0].count, height: rows.count), isSet: rows.flatMap { $0.map { $0 == "#" } })
  }

  @Test func growsAndShrinksBySquares() {
    let point = mask(".....", ".....", "..#..", ".....", ".....", ".....")
    #expect(point.grown(by: 1) == mask(".....", ".###.", ".###.", ".###.", ".....", "....."))
    #expect(point.grown(by: 2) == mask("#####", "#####", "#####", "#####", "#####", "....."))
    #expect(point.grown(by: 1).shrunk(by: 1) == point)
    // The picture's border takes nothing away.
    #expect(mask("##.", "##.", "...").shrunk(by: 1) == mask("#..", "...", "..."))
  }

  @Test func regionsAreConnectedBySides() {
    let made = mask("#.#", "#..", ".##")
    #expect(made.regions(of: true) == [[0, 3], [2], [7, 8]])
    #expect(made.regions(of: true, joinedOver: .square(1)).map(\.count) == [4, 1])
    #expect(made.regions(of: true, joinedOver: .square(2)).map(\.count) == [5])
    #expect(made.regions(of: false).map(\.count) == [3, 1])
  }
}
