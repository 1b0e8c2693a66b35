import CShim
import Frames

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Families of maps between two pictures, each containing the ones before it.
enum MotionModel: Int, CaseIterable, Comparable, Sendable {
  case translation = 2
  /// Shift, rotation and scale.
  case similarity = 4
  case affine = 6
  case homography = 8

  var degreesOfFreedom: Int { rawValue }

  static func < (a: MotionModel, b: MotionModel) -> Bool { a.rawValue < b.rawValue }
}

/// A least-squares fit of a map to correspondences.
struct MotionFit: Sendable {
  var model: MotionModel
  var map: Homography
  /// Indices of the correspondences that the map explains.
  var inliers: [Int]
  /// The standard deviation of the inliers' residuals along one axis, in pixels.
  var spread: Double
  /// Lengths of all correspondences' residuals, in pixels.
  var residuals: [Double]
}

/// Fits `model` to `correspondences`, starting from `start`, by Gauss-Newton on iteratively re-weighted residuals
/// (Tukey's bisquare: what lies far off does not count at all).
/// - Parameters:
///   - scale: the first guess of a good residual's standard deviation, in pixels; shrinks as the fit improves.
///   - floor: the least scale, in pixels.
/// - Returns: nil when the correspondences do not determine the model.
func refined(
  _ start: Homography, model: MotionModel, correspondences: [Correspondence], size: Size, scale: Double,
  floor: Double
) -> MotionFit? {
  let normalisation = Normalisation(size: size)
  let points = correspondences.map { normalisation.normalised($0) }
  var elements = normalisation.normalised(start).elements
  elements = projected(elements, on: model)
  var sigma = scale
  var residuals: [Double] = []
  for iteration in 0..<12 {
    residuals = lengths(elements, points, unit: normalisation.unit)
    let within = residuals.filter { $0 < 6 * sigma }
    guard within.count >= model.degreesOfFreedom else { return nil }
    sigma = max(min(sigma, robustSpread(within)), floor)
    var equations = NormalEquations(unknowns: model.degreesOfFreedom)
    let cutoff = 4.685 * sigma
    for (point, residual) in zip(points, residuals) where residual < cutoff {
      let t = residual / cutoff
      add(point, to: &equations, model: model, elements: elements, weight: point.weight * (1 - t * t) * (1 - t * t))
    }
    guard let step = equations.solved() else { return nil }
    apply(step, to: &elements, model: model)
    let largest = step.map(abs).max() ?? 0
    // A thousandth of a pixel, nearly.
    if iteration >= 3 && largest < 5e-7 { break }
  }
  guard let map = Homography(elements: elements) else { return nil }
  residuals = lengths(elements, points, unit: normalisation.unit)
  let cutoff = 4.685 * sigma
  let inliers = residuals.indices.filter { residuals[$0] < cutoff }
  guard inliers.count >= model.degreesOfFreedom else { return nil }
  return MotionFit(
    model: model, map: normalisation.denormalised(map), inliers: inliers,
    spread: robustSpread(inliers.map { residuals[$0] }), residuals: residuals)
}

/// Picks the simplest model that explains the correspondences nearly as well as the richest (Schwarz's criterion):
/// where texture is scarce, perspective would be invented.
func selected(_ fits: [MotionFit]) -> MotionFit? {
  guard let richest = fits.max(by: { $0.model < $1.model }) else { return nil }
  // Costs only compare at one scale and with one bound: those of the richest model, whose inliers hold the least
  // systematic error.
  let spread = max(richest.spread, 0.05)
  let bound = 3 * spread
  func score(_ fit: MotionFit) -> Double {
    let cost = fit.residuals.reduce(0) { $0 + min($1 * $1, bound * bound) }
    let count = Double(max(richest.inliers.count, 2))
    return cost / (spread * spread) + Double(fit.model.degreesOfFreedom) * log(2 * count)
  }
  return fits.min { score($0) < score($1) }
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

private func lengths(_ h: [Double], _ points: [Correspondence], unit: Double) -> [Double] {
  points.map { point in
    let w = h[6] * point.from.x + h[7] * point.from.y + 1
    let x = (h[0] * point.from.x + h[1] * point.from.y + h[2]) / w - point.to.x
    let y = (h[3] * point.from.x + h[4] * point.from.y + h[5]) / w - point.to.y
    return (x * x + y * y).squareRoot() * unit
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

private func add(
  _ point: Correspondence, to equations: inout NormalEquations, model: MotionModel, elements h: [Double],
  weight: Double
) {
  let (x, y) = (point.from.x, point.from.y)
  let w = h[6] * x + h[7] * y + 1
  let u = (h[0] * x + h[1] * y + h[2]) / w
  let v = (h[3] * x + h[4] * y + h[5]) / w
  let (errorX, errorY) = (point.to.x - u, point.to.y - v)
  switch model {
  case .homography:
    equations.add([x / w, y / w, 1 / w, 0, 0, 0, -u * x / w, -u * y / w], equals: errorX, weight: weight)
    equations.add([0, 0, 0, x / w, y / w, 1 / w, -v * x / w, -v * y / w], equals: errorY, weight: weight)
  case .affine:
    equations.add([x, y, 1, 0, 0, 0], equals: errorX, weight: weight)
    equations.add([0, 0, 0, x, y, 1], equals: errorY, weight: weight)
  case .similarity:
    equations.add([x, -y, 1, 0], equals: errorX, weight: weight)
    equations.add([y, x, 0, 1], equals: errorY, weight: weight)
  case .translation:
    equations.add([1, 0], equals: errorX, weight: weight)
    equations.add([0, 1], equals: errorY, weight: weight)
  }
}

private func apply(_ step: [Double], to h: inout [Double], model: MotionModel) {
  switch model {
  case .homography: for i in 0..<8 { h[i] += step[i] }
  case .affine: for i in 0..<6 { h[i] += step[i] }
  case .similarity:
    h[0] += step[0]
    h[4] += step[0]
    h[1] -= step[1]
    h[3] += step[1]
    h[2] += step[2]
    h[5] += step[3]
  case .translation:
    h[2] += step[0]
    h[5] += step[1]
  }
}
