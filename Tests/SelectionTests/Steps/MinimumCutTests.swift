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

  /// No other cut costs less, whether sums have room in 32 bits or not.
  @Test(arguments: [1, 1 << 24]) func nothingIsCheaper(scale: Int32) {
    let count = 9
    // Park and Miller's minimal standard.
    var state = 5
    func number(below end: Int) -> Int32 {
      state = state * 48271 % 0x7fff_ffff
      return Int32(state % end)
    }
    for _ in 0..<20 {
      func costs() -> [Int32] { (0..<count).map { _ in number(below: 21) * scale } }
      let (source, sink) = (costs(), costs())
      let edges: [cs_edge] = (0..<count).flatMap { first in
        (first + 1..<count).filter { _ in number(below: 2) == 1 }.map { second in
          cs_edge(
            first: Int32(first), second: Int32(second), forth: number(below: 10) * scale,
            back: number(below: 10) * scale)
        }
      }
      /// - Parameter sides: by vertex, one bit, set at the source.
      func cost(_ sides: Int) -> Int {
        func isAtSource(_ vertex: Int) -> Bool { sides >> vertex & 1 == 1 }
        let ends = (0..<count).reduce(0) { $0 + Int(isAtSource($1) ? sink[$1] : source[$1]) }
        return edges.reduce(ends) { sum, edge in
          switch (isAtSource(Int(edge.first)), isAtSource(Int(edge.second))) {
          case (true, false): sum + Int(edge.forth)
          case (false, true): sum + Int(edge.back)
          default: sum
          }
        }
      }
      var sides = [UInt8](repeating: 9, count: count)
      let status = cs_min_cut(Int32(count), source, sink, edges, Int32(edges.count), &sides)
      #expect(status.code == CS_OK)
      let found = sides.enumerated().reduce(0) { $0 | Int($1.element) << $1.offset }
      #expect(cost(found) == (0..<1 << count).map(cost).min())
    }
  }
}
