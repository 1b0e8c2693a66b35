/// A compare-exchange: the smaller value goes to wire `low`, the larger to wire `high`.
public struct Comparator: Hashable, Sendable {
  public var low: Int
  public var high: Int

  public init(_ low: Int, _ high: Int) {
    precondition(low < high)
    self.low = low
    self.high = high
  }
}

/// A comparator network that brings the median of its inputs to known wires.
///
/// With an odd number of wires it is the middle one; with an even number the two middle ones, in any order.
public struct SelectionNetwork: Hashable, Sendable {
  public let wires: Int
  public let comparators: [Comparator]

  public init(wires: Int, comparators: [Comparator]) {
    precondition(wires > 0 && comparators.allSatisfy { $0.low >= 0 && $0.high < wires })
    self.wires = wires
    self.comparators = comparators
  }

  /// The wires that carry the median: one, or the two middle ones.
  public var outputs: [Int] { Self.outputs(wires: wires) }

  static func outputs(wires: Int) -> [Int] {
    wires % 2 == 1 ? [wires / 2] : [wires / 2 - 1, wires / 2]
  }

  /// The network without comparators that no output depends on.
  public var pruned: SelectionNetwork {
    let kept = zip(comparators, use).filter { $0.1 != .none }.map { $0.0 }
    return SelectionNetwork(wires: wires, comparators: kept)
  }

  /// Which results of a comparator are read later.
  public enum Use: Sendable {
    case none, minimum, maximum, both
  }

  /// For every comparator, which of its results somebody reads: one that is read on one side only costs a
  /// single minimum or maximum.
  public var use: [Use] {
    var needed = [Bool](repeating: false, count: wires)
    for wire in outputs { needed[wire] = true }
    var use = [Use](repeating: .none, count: comparators.count)
    for (index, comparator) in comparators.enumerated().reversed() {
      switch (needed[comparator.low], needed[comparator.high]) {
      case (false, false): continue
      case (true, false): use[index] = .minimum
      case (false, true): use[index] = .maximum
      case (true, true): use[index] = .both
      }
      needed[comparator.low] = true
      needed[comparator.high] = true
    }
    return use
  }

  /// Minima and maxima that the pruned network computes.
  public var operationCount: Int {
    use.reduce(0) { $0 + ($1 == .both ? 2 : $1 == .none ? 0 : 1) }
  }

  /// K. E. Batcher, "Sorting networks and their applications", 1968: odd-even merge sort, for any number of
  /// wires, pruned to the median.
  public static func batcher(wires: Int) -> SelectionNetwork {
    var comparators: [Comparator] = []
    var p = 1
    while p < wires {
      var k = p
      while k >= 1 {
        for j in stride(from: k % p, to: wires - k, by: 2 * k) {
          for i in 0..<min(k, wires - j - k) where (i + j) / (2 * p) == (i + j + k) / (2 * p) {
            comparators.append(Comparator(i + j, i + j + k))
          }
        }
        k /= 2
      }
      p *= 2
    }
    return SelectionNetwork(wires: wires, comparators: comparators).pruned
  }
}
