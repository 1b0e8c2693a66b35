import CShimKernels
import Frames

/// Fits the smooth field that one homography leaves: parallax on near ground, a rolling shutter, a lens's distortion.
///
/// Nodes of a bilinear grid, second differences penalised, iteratively re-weighted by Tukey's bisquare. The field
/// begins stiff and yields in steps, so that what moves differently from its surroundings, as people do, is out of
/// the fit before the field could follow it.
struct MeshFit {
  let columns: Int
  let rows: Int
  /// In proxy pixels, as everything here.
  let size: Size
  /// Largest displacement along either axis.
  let bound: Double

  /// Cells along the longer side: of the mesh that is used, and of one that is quick to fit.
  static let cells = 32
  static let coarseCells = 12
  /// From stiff to supple, as shares of the longer side: the standard deviation of a node's second difference where
  /// there are 20 cells or more, and the least scale of residuals, so that a second plane is not out before the field
  /// can bend to it.
  private static let steps: [(freedom: Double, scale: Double)] = [
    (0.0001, 0.0025), (0.0003, 0.001), (0.0003, 0), (0.0008, 0), (0.002, 0),
  ]
  /// What a node's second difference grows by where cells are larger.
  private let spacing: Double
  /// What a node's number grows by to the right and downwards. Numbers run along the shorter side first: the equations'
  /// band then is narrow, and the time they take grows with the square of its width.
  private let step: (right: Int, down: Int)
  /// What is believed before anything is observed, for second differences with a standard deviation of 1.
  private let regularity: BandedEquations

  /// Pixels of a cell at least: in fewer, all corners' windows overlap, and their common noise would pass for a field.
  private static let leastCell = 32

  init(size: Size, cells: Int = Self.cells) {
    self.size = size
    let longer = Double(max(size.width, size.height))
    let cells = max(2, min(cells, Int(longer) / Self.leastCell))
    columns = max(2, Int((Double(cells) * Double(size.width) / longer).rounded())) + 1
    rows = max(2, Int((Double(cells) * Double(size.height) / longer).rounded())) + 1
    bound = Self.bound(of: size)
    spacing = max(1, Double(20 * 20) / Double(cells * cells))
    step = columns < rows ? (right: 1, down: columns) : (right: rows, down: 1)
    regularity = Self.regularity(columns: columns, rows: rows, step: step)
  }

  /// Largest displacement along either axis, in a picture of `size`: a homography that fits one half of a picture may leave
  /// one and a half hundredths of its width at the far end of the other.
  static func bound(of size: Size) -> Double { 0.03 * Double(size.width) }

  /// The scale of residuals that is believed before the first fit: much of what lies within the bound may be the field's.
  private var widestScale: Double { bound / 3 }

  /// Displacements of the nodes, by their numbers.
  struct Field {
    var dx: [Double]
    var dy: [Double]
  }

  /// A field for a picture of `size`, of which `scale` pixels are one of the proxy's.
  func mesh(_ field: Field, size: Size, scale: Double) -> ResidualMesh {
    let rowByRow = (0..<rows).flatMap { y in (0..<columns).map { x in x * step.right + y * step.down } }
    return ResidualMesh(
      columns: columns, rows: rows, size: size, dx: rowByRow.map { Float(field.dx[$0] * scale) },
      dy: rowByRow.map { Float(field.dy[$0] * scale) })
  }

  /// A displacement that was observed, and the four nodes that explain it.
  struct Observation {
    var dx: Double
    var dy: Double
    /// How much it counts, relative to one without noise.
    var weight: Double
    /// The upper left one of the four nodes.
    var node: Int
    /// Weights of the four nodes, in the order of their numbers.
    var weights: InlineArray<4, Double>
  }

  /// - Parameters:
  ///   - point: a reference pixel.
  ///   - there: the pixel whose homography image the point shows; the displacement is `there - point`.
  func observation(at point: cs_point, shows there: Point, weight: Double = 1) -> Observation {
    let (i, u) = cell(point.x, extent: size.width, nodes: columns)
    let (j, v) = cell(point.y, extent: size.height, nodes: rows)
    let (near, far) = step.right == 1 ? (u, v) : (v, u)
    return Observation(
      dx: there.x - point.x, dy: there.y - point.y, weight: weight, node: i * step.right + j * step.down,
      weights: [(1 - near) * (1 - far), near * (1 - far), (1 - near) * far, near * far])
  }

  /// The four nodes around a cell whose upper left one is `node`, in ascending order.
  private func nodes(of node: Int) -> InlineArray<4, Int> { Self.nodes(of: node, step: step) }

  @inline(__always)
  private static func nodes(of node: Int, step: (right: Int, down: Int)) -> InlineArray<4, Int> {
    [node, node + 1, node + max(step.right, step.down), node + step.right + step.down]
  }

  private func cell(_ position: Double, extent: Int, nodes: Int) -> (Int, Double) {
    let t = min(max(position, 0), Double(extent - 1)) * Double(nodes - 1) / Double(extent - 1)
    let index = min(Int(t), nodes - 2)
    return (index, t - Double(index))
  }

  /// Lengths of what a field leaves of the displacements.
  func residuals(_ field: Field, _ observations: [Observation]) -> [Double] {
    // Without checks of bounds, which would take as long as the arithmetic: all nodes are this mesh's.
    field.dx.withUnsafeBufferPointer { dx in
      field.dy.withUnsafeBufferPointer { dy in
        observations.map { o in
          let nodes = nodes(of: o.node)
          var (x, y) = (o.dx, o.dy)
          for i in 0..<4 {
            x -= o.weights[i] * dx[nodes[i]]
            y -= o.weights[i] * dy[nodes[i]]
          }
          return (x * x + y * y).squareRoot()
        }
      }
    }
  }

  /// - Parameters:
  ///   - noise: the least standard deviation of an observation that is believed.
  ///   - steps: how supple the field may get, 1...`MeshFit.stepCount`.
  /// - Returns: nil when there are too few observations.
  func fit(_ observations: [Observation], noise: Double, steps: Int) -> Field? {
    fields(observations, noise: noise, steps: steps)?.last
  }

  static var stepCount: Int { steps.count }

  /// What a fit has come to.
  private struct Progress {
    var field: Field
    /// The scale of residuals that are believed; shrinks as the fit improves.
    var sigma: Double
    /// Room for equations.
    var equations: BandedEquations
  }

  /// The fields after each of the first steps, up to the first that is `enough`.
  private func fields(
    _ observations: [Observation], noise: Double, steps: Int, until enough: (Field) -> Bool = { _ in false }
  ) -> [Field]? {
    guard observations.count >= 30 else { return nil }
    let zeros = [Double](repeating: 0, count: columns * rows)
    var fit = Progress(field: Field(dx: zeros, dy: zeros), sigma: widestScale, equations: regularity)
    var result: [Field] = []
    for step in Self.steps.prefix(steps) {
      guard refine(&fit, observations, step: step, noise: noise) else { return nil }
      result.append(bounded(fit.field))
      if enough(result.last!) { break }
    }
    return result
  }

  /// Re-weights and fits a few times.
  /// - Returns: false when the observations do not determine the field.
  private func refine(
    _ fit: inout Progress, _ observations: [Observation], step: (freedom: Double, scale: Double), noise: Double
  ) -> Bool {
    let longer = Double(max(size.width, size.height))
    for _ in 0..<3 {
      let lengths = residuals(fit.field, observations)
      fit.sigma = max(min(fit.sigma, robustSpread(lengths.below(6 * fit.sigma))), noise, step.scale * longer)
      gather(observations, lengths: lengths, sigma: fit.sigma, freedom: step.freedom * spacing * longer, &fit.equations)
      guard let (dx, dy) = fit.equations.solve() else { return false }
      fit.field = Field(dx: dx, dy: dy)
    }
    return true
  }

  private func bounded(_ field: Field) -> Field {
    Field(
      dx: field.dx.map { min(max($0, -bound), bound) }, dy: field.dy.map { min(max($0, -bound), bound) })
  }

  private func gather(
    _ observations: [Observation], lengths: [Double], sigma: Double, freedom: Double, _ equations: inout BandedEquations
  ) {
    equations.replace(by: regularity, weight: 1 / (freedom * freedom))
    // Divisions once rather than for every observation, which would take as long as all the rest.
    let (perCutoff, perVariance) = (1 / (bisquareReach * sigma), 1 / (sigma * sigma))
    for (o, length) in zip(observations, lengths) {
      let t = length * perCutoff
      guard t < 1 else { continue }
      let weight = o.weight * perVariance * (1 - t * t) * (1 - t * t)
      equations.add(o.weights, at: nodes(of: o.node), equals: (o.dx, o.dy), weight: weight)
    }
  }

  /// Second differences are about zero.
  private static func regularity(columns: Int, rows: Int, step: (right: Int, down: Int)) -> BandedEquations {
    var equations = BandedEquations(unknowns: columns * rows, bandwidth: 2 * max(step.right, step.down))
    for y in 0..<rows {
      for x in 0..<columns {
        let node = x * step.right + y * step.down
        if x > 0 && x + 1 < columns {
          equations.add([1, -2, 1], at: [node - step.right, node, node + step.right], equals: (0, 0), weight: 1)
        }
        if y > 0 && y + 1 < rows {
          equations.add([1, -2, 1], at: [node - step.down, node, node + step.down], equals: (0, 0), weight: 1)
        }
        if x + 1 < columns && y + 1 < rows {
          equations.add([1, -1, -1, 1], at: nodes(of: node, step: step), equals: (0, 0), weight: 1)
        }
        // A faint pull to zero holds nodes that no corner speaks for.
        equations.add([1], at: [node], equals: (0, 0), weight: 1e-3)
      }
    }
    return equations
  }
}

extension MeshFit {
  /// Fits a field when it is worth having: when it predicts corners that it was not fitted to clearly better than
  /// the homography alone does. They also say how supple it may be.
  /// - Returns: nil when the homography is as good.
  func fitWhereUseful(_ observations: [Observation], noise: Double) -> Field? {
    let (used, heldOut) = Self.split(observations)
    let without = Self.lengths(heldOut)
    guard heldOut.count >= 30, let trials = fields(used, noise: noise, steps: Self.stepCount) else { return nil }
    let errors = trials.map { residuals($0, heldOut) }
    // Movers are in all of them alike: what lies far off counts no more than what lies at the bound.
    let bound = 3 * percentile(errors[0], 0.6)
    let costs = errors.map { $0.reduce(0) { $0 + min($1, bound) } }
    let robust = Self.steps.indices.filter { Self.steps[$0].scale == 0 }
    guard let best = robust.min(by: { costs[$0] < costs[$1] }), gain(without, errors[best]) else { return nil }
    // All observations: what the others have settled is where they start.
    let sigma = robustSpread(residuals(trials[best], observations).below(bound))
    var fit = Progress(field: trials[best], sigma: sigma, equations: regularity)
    return refine(&fit, observations, step: Self.steps[best], noise: noise) ? bounded(fit.field) : nil
  }

  /// Whether a field could be worth having: whether the homography leaves something, and a field of few nodes predicts held-out
  /// corners any better than none. It is to be asked before `fitWhereUseful`, which takes many times as long.
  func isPromising(_ observations: [Observation], noise: Double) -> Bool {
    let (used, heldOut) = Self.split(observations)
    let without = Self.lengths(heldOut)
    guard heldOut.count >= 30, leavesSomething(without, beyond: noise) else { return false }
    func helps(_ field: Field) -> Bool { gain(without, residuals(field, heldOut), factor: 0.98, least: 0) }
    return fields(used, noise: noise, steps: Self.stepCount, until: helps).map { helps($0.last!) } ?? false
  }

  private static func split(_ observations: [Observation]) -> (used: [Observation], heldOut: [Observation]) {
    let folds = 4
    return (
      observations.indices.filter { $0 % folds != 0 }.map { observations[$0] },
      observations.indices.filter { $0 % folds == 0 }.map { observations[$0] }
    )
  }

  private static func lengths(_ observations: [Observation]) -> [Double] {
    observations.map { ($0.dx * $0.dx + $0.dy * $0.dy).squareRoot() }
  }

  /// Shares of the corners that movers do not reach: what is left of those, the scene itself decides.
  private static let scene = (half: 0.5, most: 0.7)

  /// Whether the homography leaves more than noise of what is the scene's: else a field would have nobody to follow but movers.
  private func leavesSomething(_ without: [Double], beyond noise: Double) -> Bool {
    percentile(without, Self.scene.most) > noise
  }

  private func gain(_ without: [Double], _ with: [Double], factor: Double = 0.93, least: Double = 0.002) -> Bool {
    [Self.scene.half, Self.scene.most].contains { percentile(with, $0) < factor * percentile(without, $0) - least }
  }
}
