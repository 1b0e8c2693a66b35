/// The arithmetic of `BandedEquations`, in vectors of a fixed width, so that every processor computes the same sums in
/// the same order.
///
/// What runs over whole vectors goes past the last element that counts: there is padding, whose zeros stay.
struct BandedSolver {
  private typealias Four = SIMD4<Double>

  let band: UnsafeMutablePointer<Double>
  /// From a row's element (i, i) to (i + 1, i + 1), less one: element (i, j) is `row(i)[j]`, for j from i on.
  let step: Int
  let unknowns: Int
  let bandwidth: Int
  let x: UnsafeMutablePointer<Double>
  let y: UnsafeMutablePointer<Double>

  @inline(__always)
  private func row(_ i: Int) -> UnsafeMutablePointer<Double> { band + i &* step }

  /// False when the equations are not positive definite.
  func solve() -> Bool {
    var first = 0
    // The rows below are loaded and stored once for four pivots.
    while first + 4 <= unknowns {
      guard eliminateFour(from: first) else { return false }
      first += 4
    }
    while first < unknowns {
      let last = min(first + bandwidth, unknowns - 1)
      guard let inverse = prepare(first, until: first + 1, last: last) else { return false }
      let source = row(first)
      for i in stride(from: first + 1, through: last, by: 1) {
        subtract(source[i] * inverse, source, from: row(i), columns: i, last)
      }
      first += 1
    }
    substituteBack()
    return true
  }

  private func eliminateFour(from first: Int) -> Bool {
    let next = first + 4
    let last = min(next - 1 + bandwidth, unknowns - 1)
    guard let inverse0 = prepare(first, until: next, last: last),
      let inverse1 = prepare(first + 1, until: next, last: last),
      let inverse2 = prepare(first + 2, until: next, last: last),
      let inverse3 = prepare(first + 3, until: next, last: last)
    else { return false }
    let (source0, source1, source2, source3) = (row(first), row(first + 1), row(first + 2), row(first + 3))
    for i in stride(from: next, through: last, by: 1) {
      let target = row(i)
      let factor0 = Four(repeating: source0[i] * inverse0)
      let factor1 = Four(repeating: source1[i] * inverse1)
      let factor2 = Four(repeating: source2[i] * inverse2)
      let factor3 = Four(repeating: source3[i] * inverse3)
      var j = i
      while j <= last {
        var value = load(target + j)
        value -= factor0 * load(source0 + j)
        value -= factor1 * load(source1 + j)
        value -= factor2 * load(source2 + j)
        value -= factor3 * load(source3 + j)
        store(value, target + j)
        j &+= 4
      }
    }
    return true
  }

  /// Subtracts multiples of a pivot's row from the rows below up to `next`, and from the right-hand sides up to `last`.
  /// - Returns: one over the pivot, or nil when that is not positive.
  @inline(__always)
  private func prepare(_ pivot: Int, until next: Int, last: Int) -> Double? {
    let source = row(pivot)
    guard source[pivot] > 0 else { return nil }
    let inverse = 1 / source[pivot]
    for i in pivot + 1..<max(next, pivot + 1) {
      subtract(source[i] * inverse, source, from: row(i), columns: i, last)
    }
    subtract(x[pivot] * inverse, source, from: x, columns: pivot + 1, last)
    subtract(y[pivot] * inverse, source, from: y, columns: pivot + 1, last)
    return inverse
  }

  @inline(__always)
  private func subtract(
    _ factor: Double, _ source: UnsafeMutablePointer<Double>, from target: UnsafeMutablePointer<Double>,
    columns first: Int, _ last: Int
  ) {
    let factor = Four(repeating: factor)
    var j = first
    while j <= last {
      store(load(target + j) - factor * load(source + j), target + j)
      j &+= 4
    }
  }

  private func substituteBack() {
    for i in (0..<unknowns).reversed() {
      let source = row(i)
      let last = min(i + bandwidth, unknowns - 1)
      var (sumX, sumY) = (Four.zero, Four.zero)
      var j = i + 1
      while j <= last {
        sumX += load(source + j) * load(x + j)
        sumY += load(source + j) * load(y + j)
        j &+= 4
      }
      x[i] = (x[i] - total(sumX)) / source[i]
      y[i] = (y[i] - total(sumY)) / source[i]
    }
  }

  @inline(__always)
  private func load(_ from: UnsafeMutablePointer<Double>) -> Four {
    UnsafeRawPointer(from).loadUnaligned(as: Four.self)
  }

  @inline(__always)
  private func store(_ value: Four, _ to: UnsafeMutablePointer<Double>) {
    UnsafeMutableRawPointer(to).storeBytes(of: value, as: Four.self)
  }
}

/// The sum of all lanes, in the order that halves a vector.
@inline(__always)
func total(_ v: SIMD4<Double>) -> Double { (v[0] + v[2]) + (v[1] + v[3]) }
