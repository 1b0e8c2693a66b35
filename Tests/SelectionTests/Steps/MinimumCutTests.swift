import CShimOpenCV
import Testing

struct MinimumCutTests {
  /// Each vertex stays where parting it from costs more, and at the source if both cost the same.
  @Test func aGraphWithoutEdgesIsCut() {
    var sides: [UInt8] = [9, 9, 9]
    let status = cs_min_cut(3, [1, 5, 2], [2, 5, 1], nil, 0, &sides)
    #expect(status.code == CS_OK)
    #expect(sides == [0, 1, 1])
  }
}
