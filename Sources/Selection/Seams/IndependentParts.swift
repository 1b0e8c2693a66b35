extension SeamCosts {
  /// Cells of a part, at least; and parts, at most.
  private static let (least, most) = (256, 8)

  /// Divides some of the contested cells into parts of about the same size without sides between them.
  /// - Parameters:
  ///   - cells: positions of contested cells, ascending.
  ///   - count: contested cells.
  /// - Returns: the same, in one part where they are few or hang together.
  func parts(of cells: [Int], in count: Int) -> [[Int]] {
    let wanted = min(cells.count / Self.least, Self.most)
    guard wanted > 1 else { return [cells] }
    // Whoever comes first of those that hang together, as far as is known; -1 for cells that are not asked for.
    var leader = [Int32](repeating: -1, count: count)
    for k in cells { leader[k] = Int32(k) }
    func first(of k: Int32) -> Int32 {
      var k = k
      while leader[Int(k)] != k {
        leader[Int(k)] = leader[Int(leader[Int(k)])]
        k = leader[Int(k)]
      }
      return k
    }
    for side in sides where leader[Int(side.first)] >= 0 && leader[Int(side.second)] >= 0 {
      let (a, b) = (first(of: side.first), first(of: side.second))
      leader[Int(max(a, b))] = min(a, b)
    }
    var sizes: [Int32: Int] = [:]
    for k in cells { sizes[first(of: Int32(k)), default: 0] += 1 }
    // The largest first, each to the part that has the fewest.
    var part: [Int32: Int] = [:]
    var filled = [Int](repeating: 0, count: wanted)
    for (leader, size) in sizes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
      let smallest = filled.indices.min { filled[$0] < filled[$1] } ?? 0
      part[leader] = smallest
      filled[smallest] += size
    }
    var parts = [[Int]](repeating: [], count: wanted)
    for k in cells { parts[part[first(of: Int32(k))] ?? 0].append(k) }
    return parts.filter { !$0.isEmpty }
  }
}
