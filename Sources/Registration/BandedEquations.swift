import CShim

/// A symmetric positive definite system whose unknowns only meet near neighbours, with two right-hand sides.
struct BandedEquations {
  let unknowns: Int
  /// How far apart two unknowns of one equation may be.
  let bandwidth: Int
  /// The upper band, row by row: element (i, j) lies at `i * (bandwidth + padding) + j`.
  private var band: [Double]
  private var rightX: [Double]
  private var rightY: [Double]

  /// Zeros that follow a row, as the solver wants them.
  private static let padding = Int(CS_BAND_PADDING)

  init(unknowns: Int, bandwidth: Int) {
    self.unknowns = unknowns
    self.bandwidth = bandwidth
    band = Array(repeating: 0, count: unknowns * (bandwidth + 1 + Self.padding))
    rightX = Array(repeating: 0, count: unknowns + Self.padding)
    rightY = rightX
  }

  /// Adds `sum(coefficients[i] * unknown[indices[i]]) = value` for both sides, `weight` times.
  /// - Parameter indices: ascending.
  mutating func add<let terms: Int>(
    _ coefficients: InlineArray<terms, Double>, at indices: InlineArray<terms, Int>, equals value: (Double, Double),
    weight: Double
  ) {
    precondition(indices[terms - 1] < unknowns && indices[terms - 1] - indices[0] <= bandwidth)
    for i in 0..<terms {
      let row = indices[i]
      let scaled = coefficients[i] * weight
      let start = row * (bandwidth + Self.padding)
      for j in i..<terms { band[start + indices[j]] += scaled * coefficients[j] }
      rightX[row] += scaled * value.0
      rightY[row] += scaled * value.1
    }
  }

  /// The same equations, `weight` times.
  func weighted(_ weight: Double) -> BandedEquations {
    var result = self
    result.band = band.map { weight * $0 }
    result.rightX = rightX.map { weight * $0 }
    result.rightY = rightY.map { weight * $0 }
    return result
  }

  /// Solves by Cholesky's factorisation; nil when the system is not positive definite.
  func solved() -> (x: [Double], y: [Double])? {
    var (band, x, y) = (band, rightX, rightY)
    guard cs_solve_banded(&band, Int32(unknowns), Int32(bandwidth), &x, &y) != 0 else { return nil }
    return (Array(x.prefix(unknowns)), Array(y.prefix(unknowns)))
  }
}
