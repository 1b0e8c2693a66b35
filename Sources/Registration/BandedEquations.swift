/// A symmetric positive definite system whose unknowns only meet near neighbours, with two right-hand sides.
struct BandedEquations {
  let unknowns: Int
  /// How far apart two unknowns of one equation may be.
  let bandwidth: Int
  /// The upper band, row by row: element (i, j) lies at `i * (bandwidth + 1) + j - i`.
  private var band: [Double]
  private var rightX: [Double]
  private var rightY: [Double]

  init(unknowns: Int, bandwidth: Int) {
    self.unknowns = unknowns
    self.bandwidth = bandwidth
    band = Array(repeating: 0, count: unknowns * (bandwidth + 1))
    rightX = Array(repeating: 0, count: unknowns)
    rightY = Array(repeating: 0, count: unknowns)
  }

  /// Adds `sum(coefficients[i] * unknown[indices[i]]) = value` for both sides, `weight` times.
  /// - Parameter indices: ascending.
  mutating func add<let terms: Int>(
    _ coefficients: InlineArray<terms, Double>, at indices: InlineArray<terms, Int>, equals value: (Double, Double),
    weight: Double
  ) {
    for i in 0..<terms {
      let row = indices[i]
      let scaled = coefficients[i] * weight
      let start = row * bandwidth
      for j in i..<terms { band[start + indices[j]] += scaled * coefficients[j] }
      rightX[row] += scaled * value.0
      rightY[row] += scaled * value.1
    }
  }

  /// Solves by Cholesky's factorisation, U'DU; nil when the system is not positive definite.
  func solved() -> (x: [Double], y: [Double])? {
    var (u, x, y) = (band, rightX, rightY)
    let isDefinite = u.withUnsafeMutableBufferPointer { u in
      for k in 0..<unknowns {
        let row = u.baseAddress! + k * (bandwidth + 1)
        guard row[0] > 0 else { return false }
        // Whole rows are subtracted from the rows below: unlike sums along a row, that can be done several at a time.
        for below in 1..<min(bandwidth, unknowns - 1 - k) + 1 where row[below] != 0 {
          let factor = row[below] / row[0]
          let target = u.baseAddress! + (k + below) * (bandwidth + 1)
          let source = row + below
          for j in 0...(bandwidth - below) { target[j] -= factor * source[j] }
          x[k + below] -= factor * x[k]
          y[k + below] -= factor * y[k]
        }
      }
      return true
    }
    guard isDefinite else { return nil }
    for k in (0..<unknowns).reversed() {
      let row = k * (bandwidth + 1)
      for later in 1..<min(bandwidth, unknowns - 1 - k) + 1 {
        x[k] -= u[row + later] * x[k + later]
        y[k] -= u[row + later] * y[k + later]
      }
      x[k] /= u[row]
      y[k] /= u[row]
    }
    return (x, y)
  }
}
