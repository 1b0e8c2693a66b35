/// Correspondences four at a time, in vectors of a fixed width, so that every processor computes the same sums in the
/// same order. What fills up the last vectors weighs nothing.
struct PackedCorrespondences {
  private typealias Four = SIMD4<Double>

  private struct Pairs {
    var fromX = Four.zero
    var fromY = Four.zero
    var toX = Four.zero
    var toY = Four.zero
    var weight = Four.zero
  }

  private let count: Int
  private let pairs: [Pairs]

  init(_ correspondences: [Correspondence]) {
    count = correspondences.count
    var pairs = [Pairs](repeating: Pairs(), count: (count + 3) / 4)
    for (i, pair) in correspondences.enumerated() {
      pairs[i / 4].fromX[i % 4] = pair.from.x
      pairs[i / 4].fromY[i % 4] = pair.from.y
      pairs[i / 4].toX[i % 4] = pair.to.x
      pairs[i / 4].toY[i % 4] = pair.to.y
      pairs[i / 4].weight[i % 4] = pair.weight
    }
    self.pairs = pairs
  }

  /// Lengths of what a map leaves, times `unit`.
  /// - Parameter elements: the map's nine, row-major, of which the last is 1.
  func residuals(of elements: [Double], unit: Double) -> [Double] {
    // All empty arrays are one, whose count is written even then.
    if pairs.isEmpty { return [] }
    let map = Map(elements)
    return Array(unsafeUninitializedCapacity: 4 * pairs.count) { lengths, used in
      for (index, pairs) in pairs.enumerated() {
        let squared = Mapped(pairs, map, isProjective: true).squaredError
        for lane in 0..<4 { lengths[4 * index + lane] = squared[lane].squareRoot() * unit }
      }
      used = count
    }
  }

  /// The equations of a step of Gauss and Newton in the map's first eight elements, by which the residuals below `cutoff`
  /// become smaller. Pairs count by weight * (1 - (residual / cutoff)^2)^2, Tukey's bisquare; those beyond do not.
  /// - Parameter isProjective: whether the map's 7th and 8th element may change; they must be zero otherwise, and what
  ///   the equations say of them is zero, too.
  func equations(of elements: [Double], cutoff: Double, isProjective: Bool) -> NormalEquations<8> {
    // Shifts, similarities and affine maps need less than half of the sums.
    isProjective
      ? equations(Map(elements), cutoff, isProjective: true) : equations(Map(elements), cutoff, isProjective: false)
  }

  @inline(__always)
  private func equations(_ map: Map, _ cutoff: Double, isProjective: Bool) -> NormalEquations<8> {
    var sums = Sums()
    let scale = 1 / (cutoff * cutoff)
    for pairs in pairs {
      let mapped = Mapped(pairs, map, isProjective: isProjective)
      let share = 1 - mapped.squaredError * scale
      let weight = (pairs.weight * share * share).replacing(with: 0, where: .!(share .> 0))
      sums.add(pairs, mapped, weight, isProjective: isProjective)
    }
    return sums.equations
  }

  /// The first eight elements of a map.
  private struct Map {
    let a, b, c, d, e, f, g, h: Double

    init(_ elements: [Double]) {
      (a, b, c, d) = (elements[0], elements[1], elements[2], elements[3])
      (e, f, g, h) = (elements[4], elements[5], elements[6], elements[7])
    }
  }

  /// What a map makes of pairs.
  private struct Mapped {
    /// One over the third homogeneous coordinate; what is not projective has one of 1.
    let inverse: Four
    let x: Four
    let y: Four
    /// What is missing.
    let errorX: Four
    let errorY: Four

    @inline(__always)
    init(_ pairs: Pairs, _ map: Map, isProjective: Bool) {
      inverse = isProjective ? 1 / (map.g * pairs.fromX + map.h * pairs.fromY + 1) : Four(repeating: 1)
      x = (map.a * pairs.fromX + map.b * pairs.fromY + map.c) * inverse
      y = (map.d * pairs.fromX + map.e * pairs.fromY + map.f) * inverse
      errorX = pairs.toX - x
      errorY = pairs.toY - y
    }

    @inline(__always)
    var squaredError: Four { errorX * errorX + errorY * errorY }
  }

  /// What the equations consist of. With p = (x, y, 1) / w, the first three elements of the map move a point along x by
  /// p, the next three along y by p, and the last two by -(mapped point) * (x, y) / w.
  private struct Sums {
    /// Products of p with itself: xx, xy, x, yy, y, 1.
    private var pp = InlineArray<6, Four>(repeating: .zero)
    /// Times the mapped point, and its squared distance from the origin.
    private var ppX = InlineArray<6, Four>(repeating: .zero)
    private var ppY = InlineArray<6, Four>(repeating: .zero)
    private var ppSquare = InlineArray<6, Four>(repeating: .zero)
    private var pErrorX = InlineArray<3, Four>(repeating: .zero)
    private var pErrorY = InlineArray<3, Four>(repeating: .zero)
    private var pAlong = InlineArray<2, Four>(repeating: .zero)

    @inline(__always)
    mutating func add(_ pairs: Pairs, _ mapped: Mapped, _ weight: Four, isProjective: Bool) {
      // Beyond the cut-off there may be points that the map has no place for: infinities would stay in the sums.
      let idle = .!(weight .> 0)
      let inverse = mapped.inverse.replacing(with: 0, where: idle)
      let (u, v) = (mapped.x.replacing(with: 0, where: idle), mapped.y.replacing(with: 0, where: idle))
      let errorX = mapped.errorX.replacing(with: 0, where: idle)
      let errorY = mapped.errorY.replacing(with: 0, where: idle)
      let p: InlineArray<3, Four> = [pairs.fromX * inverse, pairs.fromY * inverse, inverse]
      let (square, along) = (u * u + v * v, u * errorX + v * errorY)
      var n = 0
      for i in 0..<3 {
        let weighted = weight * p[i]
        for j in i..<3 {
          let term = weighted * p[j]
          pp[n] += term
          // The last two elements have no part that is constant.
          if isProjective && i < 2 {
            ppX[n] += term * u
            ppY[n] += term * v
            if j < 2 { ppSquare[n] += term * square }
          }
          n += 1
        }
        pErrorX[i] += weighted * errorX
        pErrorY[i] += weighted * errorY
        if isProjective && i < 2 { pAlong[i] += weighted * along }
      }
    }

    var equations: NormalEquations<8> {
      /// Where the product of two elements of p stands.
      func product(_ i: Int, _ j: Int) -> Int { [[0, 1, 2], [1, 3, 4], [2, 4, 5]][i][j] }
      var equations = NormalEquations<8>()
      for i in 0..<3 {
        for j in 0...i {
          equations.matrix[i][j] = total(pp[product(i, j)])
          equations.matrix[3 + i][3 + j] = equations.matrix[i][j]
        }
        for j in 0..<2 {
          equations.matrix[6 + j][i] = -total(ppX[product(i, j)])
          equations.matrix[6 + j][3 + i] = -total(ppY[product(i, j)])
        }
        equations.right[i] = total(pErrorX[i])
        equations.right[3 + i] = total(pErrorY[i])
      }
      for i in 0..<2 {
        for j in 0...i { equations.matrix[6 + i][6 + j] = total(ppSquare[product(i, j)]) }
        equations.right[6 + i] = -total(pAlong[i])
      }
      return equations
    }
  }
}
