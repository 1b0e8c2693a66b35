import CShimOpenCV
import Frames
import ShimSupport

/// A map and which correspondences it explains.
struct Hypothesis: Sendable {
  var map: Homography
  /// Indices of the correspondences.
  var inliers: [Int]
}

/// Fits a homography or an affine map to correspondences of which many are wrong (MAGSAC++, Barath et al., CVPR 2020).
/// - Parameter threshold: pixels beyond which a correspondence says nothing.
/// - Returns: nil when nothing fits.
func fitRobustly(
  _ correspondences: [Correspondence], affine: Bool, threshold: Double, iterations: Int = 2000
) throws(ShimError) -> Hypothesis? {
  var map = [Double](repeating: 0, count: 9)
  var mask = [UInt8](repeating: 0, count: correspondences.count)
  var found: Int32 = 0
  try check(
    cs_fit_robustly(
      affine ? CS_MODEL_AFFINE : CS_MODEL_HOMOGRAPHY, correspondences.map(\.from), correspondences.map(\.to),
      Int32(correspondences.count), threshold, Int32(iterations), &map, &mask, &found))
  guard found != 0, let homography = Homography(elements: map) else { return nil }
  return Hypothesis(map: homography, inliers: mask.indices.filter { mask[$0] != 0 })
}
