import CShimKernels

/// A symmetric positive definite system whose unknowns only meet near neighbours, with two right-hand sides.
struct BandedEquations {
  let unknowns: Int
  /// How far apart two unknowns of one equation may be.
  let bandwidth: Int
  /// The upper band, row by row: element (i, j) lies at `i * (bandwidth + padding) + j`.
  private var band: [Double]
  private var rightX: [Double]
  private var rightY: [Double]

  /// Zeros that follow a row and the right-hand sides: the solver works on whole vectors, and some pivots at once.
  private static let padding = 6

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
    let (first, last) = (indices[0], indices[terms - 1])
    precondition(0 <= first && last < unknowns && last - first <= bandwidth)
    let step = bandwidth + Self.padding
    // One check of bounds, above, for all of them.
    rightX.withUnsafeMutableBufferPointer { x in
      rightY.withUnsafeMutableBufferPointer { y in
        band.withUnsafeMutableBufferPointer { band in
          for i in 0..<terms {
            let scaled = coefficients[i] * weight
            x[indices[i]] += scaled * value.0
            y[indices[i]] += scaled * value.1
            let row = band.baseAddress! + indices[i] &* step
            for j in i..<terms { row[indices[j]] += scaled * coefficients[j] }
          }
        }
      }
    }
  }

  /// Puts other equations, `weight` times, in the place of these, which are of the same size.
  mutating func replace(by other: BandedEquations, weight: Double) {
    precondition(unknowns == other.unknowns && bandwidth == other.bandwidth)
    for i in band.indices { band[i] = weight * other.band[i] }
    for i in rightX.indices {
      rightX[i] = weight * other.rightX[i]
      rightY[i] = weight * other.rightY[i]
    }
  }

  /// Solves by Cholesky's factorisation, U'DU, which takes the place of the equations; nil when the system is not
  /// positive definite.
  mutating func solve() -> (x: [Double], y: [Double])? {
    let isSolved = band.withUnsafeMutableBufferPointer { band in
      rightX.withUnsafeMutableBufferPointer { x in
        rightY.withUnsafeMutableBufferPointer { y in
          guard let band = band.baseAddress, let x = x.baseAddress, let y = y.baseAddress else { return true }
          return cs_solve_banded(
            band, bandwidth + Self.padding, Int32(unknowns), Int32(bandwidth), x, y) != 0
        }
      }
    }
    return isSolved ? (Array(rightX.prefix(unknowns)), Array(rightY.prefix(unknowns))) : nil
  }
}
