extension SelectionNetwork {
  /// Whether the network selects the median of every input, tried on all 2^wires inputs of zeros and ones.
  ///
  /// By the 0-1 principle it then does so for all values (D. E. Knuth, The Art of Computer Programming 3, 5.3.4).
  /// 64 inputs go through the network at once, one per bit, so that 20 wires take milliseconds.
  public var selectsMedianOfAllInputs: Bool {
    precondition(wires < 40)
    // Wires 0 to 5 of input b are the bits of b, the others those of the block's number.
    let low: [UInt64] = (0..<6).map { wire in
      (0..<64).reduce(0) { $0 | (UInt64($1) >> UInt64(wire) & 1) << UInt64($1) }
    }
    // Inputs with at least t ones among the first six wires.
    let atLeast: [UInt64] = (0...7).map { t in
      (0..<64).reduce(0) { $0 | ($1.nonzeroBitCount >= t ? 1 << UInt64($1) : 0) }
    }
    let tried: UInt64 = wires < 6 ? (1 << (1 << UInt64(wires))) - 1 : ~0
    var columns = [UInt64](repeating: 0, count: wires)
    for block in 0..<UInt64(1) << UInt64(max(wires - 6, 0)) {
      for wire in 0..<wires { columns[wire] = wire < 6 ? low[wire] : 0 &- (block >> UInt64(wire - 6) & 1) }
      let ones = block.nonzeroBitCount
      let lower = atLeast[min(max(wires - (wires - 1) / 2 - ones, 0), 7)]
      let upper = atLeast[min(max(wires - wires / 2 - ones, 0), 7)]
      guard apply(to: &columns, expecting: lower, upper, in: tried) else { return false }
    }
    return true
  }

  /// Whether the network selects the median of every input, tried on all inputs that its first comparators let
  /// through.
  ///
  /// As complete as `selectsMedianOfAllInputs`, and quick for any network that begins by sorting groups of up to
  /// four wires: eight groups of four leave 5^8 inputs of 2^32.
  public var selectsMedianOfGroupedInputs: Bool {
    let (groups, first) = leadingGroups
    let patterns = groups.map { group in reachablePatterns(of: group, through: comparators.prefix(first)) }
    let rest = SelectionNetwork(wires: wires, comparators: Array(comparators.dropFirst(first)))
    var digits = [Int](repeating: 0, count: groups.count)
    var columns = [UInt64](repeating: 0, count: wires)
    var (lower, upper) = (UInt64(0), UInt64(0))
    var filled = 0
    while true {
      let input = zip(patterns, digits).reduce(UInt64(0)) { $0 | $1.0[$1.1] }
      for wire in 0..<wires { columns[wire] |= (input >> UInt64(wire) & 1) << UInt64(filled) }
      let zeros = wires - input.nonzeroBitCount
      if (wires - 1) / 2 >= zeros { lower |= 1 << UInt64(filled) }
      if wires / 2 >= zeros { upper |= 1 << UInt64(filled) }
      filled += 1
      let isLast = !Self.increment(&digits, limits: patterns.map(\.count))
      if filled == 64 || isLast {
        let tried: UInt64 = filled == 64 ? ~0 : (1 << UInt64(filled)) - 1
        guard rest.apply(to: &columns, expecting: lower, upper, in: tried) else { return false }
        for wire in 0..<wires { columns[wire] = 0 }
        (lower, upper, filled) = (0, 0, 0)
      }
      if isLast { return true }
    }
  }

  /// Runs the network on 64 inputs, `columns[w]` holding the bits of wire w, and compares the middle wires'
  /// minimum and maximum with what is expected of the inputs in `mask`.
  private func apply(to columns: inout [UInt64], expecting lower: UInt64, _ upper: UInt64, in mask: UInt64) -> Bool {
    let (first, second) = ((wires - 1) / 2, wires / 2)
    return columns.withUnsafeMutableBufferPointer { columns in
      for comparator in comparators {
        let (a, b) = (columns[comparator.low], columns[comparator.high])
        columns[comparator.low] = a & b
        columns[comparator.high] = a | b
      }
      return (columns[first] & columns[second] ^ lower) & mask == 0
        && (columns[first] | columns[second] ^ upper) & mask == 0
    }
  }

  /// The wires in the groups that the longest leading run of comparators joins without joining more than four,
  /// and that run's length.
  private var leadingGroups: (groups: [[Int]], comparators: Int) {
    var groups = (0..<wires).map { [$0] }
    for (index, comparator) in comparators.enumerated() {
      let low = groups.firstIndex { $0.contains(comparator.low) }!
      let high = groups.firstIndex { $0.contains(comparator.high) }!
      if low == high { continue }
      guard groups[low].count + groups[high].count <= 4 else { return (groups, index) }
      groups[min(low, high)] += groups[max(low, high)]
      groups.remove(at: max(low, high))
    }
    return (groups, comparators.count)
  }

  /// What can stand on the wires of `group` after `leading`, as sets of bits.
  private func reachablePatterns(of group: [Int], through leading: ArraySlice<Comparator>) -> [UInt64] {
    let patterns = (0..<1 << group.count).map { choice -> UInt64 in
      var bits = UInt64(0)
      for (place, wire) in group.enumerated() where choice >> place & 1 == 1 { bits |= 1 << UInt64(wire) }
      for comparator in leading where group.contains(comparator.low) {
        let (a, b) = (bits >> UInt64(comparator.low) & 1, bits >> UInt64(comparator.high) & 1)
        bits &= ~(1 << UInt64(comparator.low) | 1 << UInt64(comparator.high))
        bits |= (a & b) << UInt64(comparator.low) | (a | b) << UInt64(comparator.high)
      }
      return bits
    }
    return Set(patterns).sorted()
  }

  /// Counts on in mixed radix; false when it wraps.
  private static func increment(_ digits: inout [Int], limits: [Int]) -> Bool {
    for index in digits.indices {
      digits[index] += 1
      if digits[index] < limits[index] { return true }
      digits[index] = 0
    }
    return false
  }
}
