import CShimKernels
import Frames

/// Fits maps to correspondences by Gauss-Newton on iteratively re-weighted residuals (Tukey's bisquare: what lies far
/// off does not count at all).
struct MotionFitter {
  private let normalisation: Normalisation
  private let pairs: PackedCorrespondences

  /// - Parameter size: of the picture.
  init(_ correspondences: [Correspondence], size: Size) {
    let normalisation = Normalisation(size: size)
    self.normalisation = normalisation
    pairs = PackedCorrespondences(correspondences.map(normalisation.normalised))
  }

  /// The best map of a model.
  /// - Parameters:
  ///   - start: where to begin.
  ///   - scale: the first guess of a good residual's standard deviation, in pixels; shrinks as the fit improves.
  ///   - floor: the least scale, in pixels.
  /// - Returns: nil when the correspondences do not determine the model.
  func fit(_ model: MotionModel, from start: Homography, scale: Double, floor: Double) -> MotionFit? {
    var elements = projected(normalisation.normalised(start).elements, on: model)
    var sigma = scale
    for iteration in 0..<12 {
      let near = pairs.residuals(of: elements, unit: normalisation.unit).below(6 * sigma)
      guard near.count >= model.degreesOfFreedom else { return nil }
      sigma = max(min(sigma, robustSpread(near)), floor)
      let equations = pairs.equations(
        of: elements, cutoff: bisquareReach * sigma / normalisation.unit, isProjective: model == .homography)
      guard let step = model.step(solving: equations) else { return nil }
      var largest = 0.0
      for i in 0..<8 {
        elements[i] += step[i]
        largest = max(largest, abs(step[i]))
      }
      // A thousandth of a pixel, nearly.
      if iteration >= 3 && largest < 5e-7 { break }
    }
    guard let map = Homography(elements: elements) else { return nil }
    let residuals = pairs.residuals(of: elements, unit: normalisation.unit)
    let cutoff = bisquareReach * sigma
    let inliers = residuals.indices.filter { residuals[$0] < cutoff }
    guard inliers.count >= model.degreesOfFreedom else { return nil }
    return MotionFit(
      model: model, map: normalisation.denormalised(map), inliers: inliers,
      spread: robustSpread(residuals.below(cutoff)), residuals: residuals)
  }
}

/// Pixels to numbers about -1...1, in which the equations are well conditioned.
private struct Normalisation {
  let centreX: Double
  let centreY: Double
  /// Pixels.
  let unit: Double

  init(size: Size) {
    centreX = Double(size.width - 1) / 2
    centreY = Double(size.height - 1) / 2
    unit = Double(max(size.width, size.height)) / 2
  }

  func normalised(_ p: cs_point) -> cs_point { cs_point(x: (p.x - centreX) / unit, y: (p.y - centreY) / unit) }

  func normalised(_ pair: Correspondence) -> Correspondence {
    Correspondence(from: normalised(pair.from), to: normalised(pair.to), weight: pair.weight)
  }

  private var toNormal: Homography { Homography(1 / unit, 0, -centreX / unit, 0, 1 / unit, -centreY / unit, 0, 0) }
  private var toPixels: Homography { Homography(unit, 0, centreX, 0, unit, centreY, 0, 0) }

  func normalised(_ map: Homography) -> Homography {
    (map * toPixels).flatMap { toNormal * $0 } ?? .identity
  }

  func denormalised(_ map: Homography) -> Homography {
    (map * toNormal).flatMap { toPixels * $0 } ?? .identity
  }
}

/// The member of `model` closest to a map at the picture's centre.
private func projected(_ h: [Double], on model: MotionModel) -> [Double] {
  // The map's derivative at the origin, which is the picture's centre, and where it puts it.
  let a = h[0] - h[2] * h[6]
  let b = h[1] - h[2] * h[7]
  let c = h[3] - h[5] * h[6]
  let d = h[4] - h[5] * h[7]
  switch model {
  case .homography: return h
  case .affine: return [a, b, h[2], c, d, h[5], 0, 0, 1]
  case .similarity:
    let (cosine, sine) = ((a + d) / 2, (c - b) / 2)
    return [cosine, -sine, h[2], sine, cosine, h[5], 0, 0, 1]
  case .translation: return [1, 0, h[2], 0, 1, h[5], 0, 0, 1]
  }
}

extension MotionModel {
  /// The step among those that the model has, by a homography's equations.
  /// - Returns: nil when the equations do not determine it.
  func step(solving equations: NormalEquations<8>) -> InlineArray<8, Double>? {
    switch self {
    case .homography: equations.solved()
    case .affine:
      step(
        solving: equations,
        along: [
          [1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0],
          [0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0],
        ])
    case .similarity:
      step(
        solving: equations,
        along: [
          [1, 0, 0, 0, 1, 0, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0],
        ])
    case .translation: step(solving: equations, along: [[0, 0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0]])
    }
  }

  private func step<let count: Int>(
    solving equations: NormalEquations<8>, along directions: InlineArray<count, InlineArray<8, Double>>
  ) -> InlineArray<8, Double>? {
    guard let amounts = equations.restricted(to: directions).solved() else { return nil }
    var step = InlineArray<8, Double>(repeating: 0)
    for a in 0..<count {
      for i in 0..<8 { step[i] += amounts[a] * directions[a][i] }
    }
    return step
  }
}
