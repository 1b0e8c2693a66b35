import CShim

/// Correspondences as the shim wants them: one array per coordinate.
struct PackedCorrespondences {
  private let count: Int
  /// From x, from y, to x, to y and the weights, each filled up with zeros.
  private let numbers: [Double]
  private let stride: Int

  init(_ correspondences: [Correspondence]) {
    let atOnce = Int(CS_PAIRS_AT_ONCE)
    count = correspondences.count
    stride = (count + atOnce - 1) / atOnce * atOnce
    var numbers = [Double](repeating: 0, count: 5 * stride)
    for (i, pair) in correspondences.enumerated() {
      numbers[i] = pair.from.x
      numbers[stride + i] = pair.from.y
      numbers[2 * stride + i] = pair.to.x
      numbers[3 * stride + i] = pair.to.y
      numbers[4 * stride + i] = pair.weight
    }
    self.numbers = numbers
  }

  /// Lengths of what a map leaves, times `unit`.
  /// - Parameter elements: the map's nine, row-major, of which the last is 1.
  func residuals(of elements: [Double], unit: Double) -> [Double] {
    var lengths = [Double](repeating: 0, count: stride)
    withUnsafePairs { cs_motion_residuals(elements, $0, unit, &lengths) }
    lengths.removeLast(stride - count)
    return lengths
  }

  /// The equations of a step in the map's first eight elements, by which the residuals below `cutoff` become smaller.
  /// - Parameter isProjective: whether the map's 7th and 8th element may change; they must be zero otherwise, and what
  ///   the equations say of them is zero, too.
  func equations(of elements: [Double], cutoff: Double, isProjective: Bool) -> NormalEquations<8> {
    var matrix = [Double](repeating: 0, count: 64)
    var right = [Double](repeating: 0, count: 8)
    withUnsafePairs { cs_motion_equations(elements, $0, cutoff, isProjective ? 1 : 0, &matrix, &right) }
    var equations = NormalEquations<8>()
    for row in 0..<8 {
      for column in 0...row { equations.matrix[row][column] = matrix[8 * row + column] }
      equations.right[row] = right[row]
    }
    return equations
  }

  private func withUnsafePairs(_ body: (UnsafePointer<cs_correspondences>) -> Void) {
    numbers.withUnsafeBufferPointer { numbers in
      guard let start = numbers.baseAddress else { return }
      var pairs = cs_correspondences(
        from_x: start, from_y: start + stride, to_x: start + 2 * stride, to_y: start + 3 * stride,
        weight: start + 4 * stride, count: Int32(stride))
      body(&pairs)
    }
  }
}
