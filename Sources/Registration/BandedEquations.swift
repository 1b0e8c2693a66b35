/// A symmetric positive definite system whose unknowns only meet near neighbours, with two right-hand sides.
struct BandedEquations {
  let unknowns: Int
  /// How far apart two unknowns of one equation may be.
  let bandwidth: Int
  /// The lower band, row by row: element (i, j) lies at `i * (bandwidth + 1) + j - i + bandwidth`.
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
      let start = row * bandwidth + bandwidth
      for j in 0...i { band[start + indices[j]] += scaled * coefficients[j] }
      rightX[row] += scaled * value.0
      rightY[row] += scaled * value.1
    }
  }

  /// Solves by Cholesky's factorisation; nil when the system is not positive definite.
  func solved() -> (x: [Double], y: [Double])? {
    var (l, x, y) = (band, rightX, rightY)
    let isDefinite = l.withUnsafeMutableBufferPointer { l in
      for row in 0..<unknowns {
        let rowStart = row * bandwidth + bandwidth
        for column in max(0, row - bandwidth)...row {
          let columnStart = column * bandwidth + bandwidth
          var sum = l[rowStart + column]
          var k = max(0, row - bandwidth)
          while k < column {
            sum -= l[rowStart + k] * l[columnStart + k]
            k += 1
          }
          if column < row {
            l[rowStart + column] = sum / l[columnStart + column]
          } else {
            guard sum > 0 else { return false }
            l[rowStart + row] = sum.squareRoot()
          }
        }
      }
      return true
    }
    guard isDefinite else { return nil }
    for row in 0..<unknowns {
      let start = row * bandwidth + bandwidth
      for k in max(0, row - bandwidth)..<row {
        x[row] -= l[start + k] * x[k]
        y[row] -= l[start + k] * y[k]
      }
      x[row] /= l[start + row]
      y[row] /= l[start + row]
    }
    for row in stride(from: unknowns - 1, through: 0, by: -1) {
      let start = row * bandwidth + bandwidth
      x[row] /= l[start + row]
      y[row] /= l[start + row]
      for k in max(0, row - bandwidth)..<row {
        x[k] -= l[start + k] * x[row]
        y[k] -= l[start + k] * y[row]
      }
    }
    return (x, y)
  }
}
