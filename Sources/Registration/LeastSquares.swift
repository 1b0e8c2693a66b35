import Frames

/// A symmetric positive definite system of equations, gathered row by row.
struct NormalEquations {
  let unknowns: Int
  /// Row-major; only the lower triangle is kept up to date.
  private(set) var matrix: [Double]
  private(set) var right: [Double]

  init(unknowns: Int) {
    self.unknowns = unknowns
    matrix = [Double](repeating: 0, count: unknowns * unknowns)
    right = [Double](repeating: 0, count: unknowns)
  }

  /// Adds the equation `sum(coefficients[i] * x[i]) = value`, `weight` times.
  mutating func add(_ coefficients: [Double], equals value: Double, weight: Double) {
    for row in 0..<unknowns where coefficients[row] != 0 {
      let scaled = coefficients[row] * weight
      for column in 0...row { matrix[row * unknowns + column] += scaled * coefficients[column] }
      right[row] += scaled * value
    }
  }

  /// The same for an equation in a few unknowns, `indices` ascending.
  mutating func add(_ coefficients: [Double], at indices: [Int], equals value: Double, weight: Double) {
    for (i, row) in indices.enumerated() {
      let scaled = coefficients[i] * weight
      for j in 0...i { matrix[row * unknowns + indices[j]] += scaled * coefficients[j] }
      right[row] += scaled * value
    }
  }

  mutating func addRight(_ values: [Double], at indices: [Int]) {
    for (i, row) in indices.enumerated() { right[row] += values[i] }
  }

  /// Solves by Cholesky's factorisation; nil when the system is not positive definite.
  func solved() -> [Double]? {
    guard let factor = CholeskyFactor(matrix, unknowns: unknowns) else { return nil }
    return factor.solve(right)
  }
}

/// The lower triangular factor of a symmetric positive definite matrix.
struct CholeskyFactor {
  private let unknowns: Int
  private var lower: [Double]
  /// The first column of each row that is not zero: banded systems stay cheap.
  private var first: [Int]

  /// - Parameter matrix: row-major; its lower triangle is read.
  init?(_ matrix: [Double], unknowns: Int) {
    self.unknowns = unknowns
    lower = matrix
    first = (0..<unknowns).map { row in
      (0..<row).first { matrix[row * unknowns + $0] != 0 } ?? row
    }
    let first = first
    let isDefinite = lower.withUnsafeMutableBufferPointer { l in
      for row in 0..<unknowns {
        for column in first[row]...row {
          var sum = l[row * unknowns + column]
          var k = max(first[row], first[column])
          while k < column {
            sum -= l[row * unknowns + k] * l[column * unknowns + k]
            k += 1
          }
          if column < row {
            l[row * unknowns + column] = sum / l[column * unknowns + column]
          } else {
            guard sum > 1e-12 else { return false }
            l[row * unknowns + row] = sum.squareRoot()
          }
        }
      }
      return true
    }
    guard isDefinite else { return nil }
  }

  func solve(_ right: [Double]) -> [Double] {
    var x = right
    for row in 0..<unknowns {
      for k in first[row]..<row { x[row] -= lower[row * unknowns + k] * x[k] }
      x[row] /= lower[row * unknowns + row]
    }
    for row in stride(from: unknowns - 1, through: 0, by: -1) {
      x[row] /= lower[row * unknowns + row]
      for k in first[row]..<row { x[k] -= lower[row * unknowns + k] * x[row] }
    }
    return x
  }
}

/// The robust spread of residual lengths: the standard deviation along one axis that their median suggests.
func robustSpread(_ lengths: [Double]) -> Double {
  guard !lengths.isEmpty else { return 0 }
  // The median of a Rayleigh distribution is 1.1774 standard deviations.
  return median(lengths) / 1.1774
}

func median(_ values: [Double]) -> Double {
  var values = values
  let middle = values.count / 2
  let upper = values.selected(middle)
  // What is left of the middle is no larger.
  return values.count % 2 == 1 ? upper : (values[..<middle].max()! + upper) / 2
}

func percentile(_ values: [Double], _ share: Double) -> Double {
  var values = values
  return values.selected(min(values.count - 1, Int(share * Double(values.count))))
}

extension [Double] {
  /// The element that sorting would put at `rank`; reorders so that nothing before it is larger and nothing after it
  /// smaller (Hoare, "Algorithm 65: find", CACM 1961).
  mutating func selected(_ rank: Int) -> Double {
    withUnsafeMutableBufferPointer { values in
      var (low, high) = (0, values.count - 1)
      while low < high {
        let pivot = values[rank]
        var (i, j) = (low, high)
        while i <= j {
          while values[i] < pivot { i += 1 }
          while pivot < values[j] { j -= 1 }
          guard i <= j else { break }
          values.swapAt(i, j)
          (i, j) = (i + 1, j - 1)
        }
        if j < rank { low = i }
        if rank < i { high = j }
      }
      return values[rank]
    }
  }
}
