/// A symmetric positive definite system of equations, gathered row by row.
struct NormalEquations<let unknowns: Int> {
  /// Only the lower triangle is kept up to date.
  var matrix = InlineArray<unknowns, InlineArray<unknowns, Double>>(repeating: InlineArray(repeating: 0))
  var right = InlineArray<unknowns, Double>(repeating: 0)

  /// Adds the equation `sum(coefficients[i] * x[i]) = value`, `weight` times.
  mutating func add(_ coefficients: InlineArray<unknowns, Double>, equals value: Double, weight: Double) {
    for row in 0..<unknowns {
      let scaled = coefficients[row] * weight
      for column in 0...row { matrix[row][column] += scaled * coefficients[column] }
      right[row] += scaled * value
    }
  }

  /// The same equations for the amounts of some directions, of which the unknowns are sums.
  func restricted<let count: Int>(to directions: InlineArray<count, InlineArray<unknowns, Double>>)
    -> NormalEquations<count>
  {
    var result = NormalEquations<count>()
    for a in 0..<count {
      for i in 0..<unknowns where directions[a][i] != 0 {
        result.right[a] += directions[a][i] * right[i]
        for b in 0...a {
          for j in 0..<unknowns where directions[b][j] != 0 {
            result.matrix[a][b] += directions[a][i] * directions[b][j] * matrix[max(i, j)][min(i, j)]
          }
        }
      }
    }
    return result
  }

  /// Solves by Cholesky's factorisation; nil when the system is not positive definite.
  func solved() -> InlineArray<unknowns, Double>? {
    guard let lower = factor() else { return nil }
    var x = right
    for row in 0..<unknowns {
      for k in 0..<row { x[row] -= lower[row][k] * x[k] }
      x[row] /= lower[row][row]
    }
    for row in (0..<unknowns).reversed() {
      x[row] /= lower[row][row]
      for k in 0..<row { x[k] -= lower[row][k] * x[row] }
    }
    return x
  }

  /// The lower triangular factor.
  private func factor() -> InlineArray<unknowns, InlineArray<unknowns, Double>>? {
    var lower = matrix
    for row in 0..<unknowns {
      for column in 0...row {
        var sum = lower[row][column]
        for k in 0..<column { sum -= lower[row][k] * lower[column][k] }
        if column < row {
          lower[row][column] = sum / lower[column][column]
        } else {
          guard sum > 1e-12 else { return nil }
          lower[row][row] = sum.squareRoot()
        }
      }
    }
    return lower
  }
}

/// The sums of normal equations, gathered four rows at a time in vectors of a fixed width, so that every processor adds
/// up in the same order.
struct PackedEquations<let unknowns: Int> {
  typealias Four = SIMD4<Double>

  private var matrix = InlineArray<unknowns, InlineArray<unknowns, Four>>(repeating: InlineArray(repeating: .zero))
  private var right = InlineArray<unknowns, Four>(repeating: .zero)

  /// Adds four equations `sum(coefficients[i] * x[i]) = value`, `weight` times each.
  @inline(__always)
  mutating func add(_ coefficients: InlineArray<unknowns, Four>, equals value: Four, weight: Four) {
    for row in 0..<unknowns {
      let scaled = coefficients[row] * weight
      for column in 0...row { matrix[row][column] += scaled * coefficients[column] }
      right[row] += scaled * value
    }
  }

  var equations: NormalEquations<unknowns> {
    var equations = NormalEquations<unknowns>()
    for row in 0..<unknowns {
      for column in 0...row { equations.matrix[row][column] = total(matrix[row][column]) }
      equations.right[row] = total(right[row])
    }
    return equations
  }
}

/// The sum of all lanes, in the order that halves a vector.
@inline(__always)
func total(_ v: SIMD4<Double>) -> Double { (v[0] + v[2]) + (v[1] + v[3]) }
