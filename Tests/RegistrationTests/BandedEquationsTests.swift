import Testing

@testable import Registration

/// The solver in vectors against plain elimination in the dense matrix.
@Suite struct BandedEquationsTests {
  /// What a square of `unknowns` x `unknowns` and two right-hand sides say, as they are.
  private struct DenseEquations {
    var matrix: [[Double]]
    var right: [(x: Double, y: Double)]

    init(unknowns: Int) {
      matrix = Array(repeating: Array(repeating: 0, count: unknowns), count: unknowns)
      right = Array(repeating: (0, 0), count: unknowns)
    }

    mutating func add(_ coefficients: [Double], at indices: [Int], equals value: (Double, Double), weight: Double) {
      for (a, i) in zip(coefficients, indices) {
        for (b, j) in zip(coefficients, indices) { matrix[i][j] += weight * a * b }
        right[i].x += weight * a * value.0
        right[i].y += weight * a * value.1
      }
    }

    func solved() -> [(x: Double, y: Double)] {
      var (a, b) = (matrix, right)
      for k in a.indices {
        for i in a.indices where i != k {
          let factor = a[i][k] / a[k][k]
          for j in a.indices { a[i][j] -= factor * a[k][j] }
          b[i].x -= factor * b[k].x
          b[i].y -= factor * b[k].y
        }
      }
      return b.indices.map { (b[$0].x / a[$0][$0], b[$0].y / a[$0][$0]) }
    }
  }

  @Test(arguments: [
    (1, 0), (1, 3), (2, 1), (3, 2), (4, 0), (5, 4), (7, 1), (8, 3), (9, 20), (23, 6), (64, 5), (101, 17), (203, 50),
  ])
  func solvesAsElimination(unknowns: Int, bandwidth: Int) throws {
    var banded = BandedEquations(unknowns: unknowns, bandwidth: bandwidth)
    var dense = DenseEquations(unknowns: unknowns)
    var random = SteadyNumbers()
    for i in 0..<unknowns {
      let j = min(unknowns - 1, i + Int(random.next() * Double(bandwidth + 1)))
      for (indices, coefficients) in [([i, j], [random.next() - 0.5, random.next() - 0.5]), ([i], [0.3])] {
        let value = (random.next(), random.next())
        dense.add(coefficients, at: indices, equals: value, weight: 2)
        switch indices.count {
        case 2 where i < j:
          banded.add([coefficients[0], coefficients[1]], at: [i, j], equals: value, weight: 2)
        case 2: banded.add([coefficients[0] + coefficients[1]], at: [i], equals: value, weight: 2)
        default: banded.add([coefficients[0]], at: [i], equals: value, weight: 2)
        }
      }
    }
    let expected = dense.solved()
    let solution = banded.solve()
    let found = try #require(solution)
    #expect(found.x.count == unknowns && found.y.count == unknowns)
    for i in 0..<unknowns {
      #expect(abs(found.x[i] - expected[i].x) < 1e-9 && abs(found.y[i] - expected[i].y) < 1e-9)
    }
  }

  /// An unknown that no equation holds, among the pivots that are taken together and among those that are left.
  @Test(arguments: [0, 2, 3, 7, 8, 9]) func refusesSingularSystems(free: Int) {
    var equations = BandedEquations(unknowns: 10, bandwidth: 2)
    for i in 0..<10 where i != free { equations.add([1], at: [i], equals: (1, 2), weight: 1) }
    var complete = equations
    #expect(equations.solve() == nil)
    complete.add([1], at: [free], equals: (1, 2), weight: 1)
    #expect(complete.solve()?.x == Array(repeating: 1, count: 10))
  }

  @Test func refusesIndefiniteSystems() {
    var equations = BandedEquations(unknowns: 5, bandwidth: 1)
    for i in 0..<5 { equations.add([1], at: [i], equals: (0, 0), weight: i == 3 ? -1 : 1) }
    #expect(equations.solve() == nil)
  }

  @Test func weighsEverything() throws {
    var equations = BandedEquations(unknowns: 2, bandwidth: 1)
    equations.add([1, 1], at: [0, 1], equals: (3, 6), weight: 1)
    equations.add([1, -1], at: [0, 1], equals: (1, 2), weight: 1)
    var heavier = equations
    heavier.replace(by: equations, weight: 10)
    heavier.add([1], at: [0], equals: (4, 8), weight: 20)
    // 10 (a + b - 3)^2 + 10 (a - b - 1)^2 + 20 (a - 4)^2 is least at a = 3, b = 1.
    let solution = heavier.solve()
    let found = try #require(solution)
    #expect(abs(found.x[0] - 3) < 1e-12 && abs(found.x[1] - 1) < 1e-12)
    #expect(abs(found.y[0] - 6) < 1e-12 && abs(found.y[1] - 2) < 1e-12)
  }
}
