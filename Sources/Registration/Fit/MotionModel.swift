import Frames
import Glibc

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
