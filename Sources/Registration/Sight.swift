package import Frames
package import ShimSupport

/// What two pictures have to do with each other, as far as small ones show it.
package enum Sight: Sendable {
  /// They show one scene; the first's pixels on the second.
  case same(Homography)
  /// They show different scenes, or hardly anything in common.
  case different
  /// They do not show enough to tell: too dark, too faint, or the same thing over and over.
  case open
}

extension Registrar {
  /// Of the features, those that are strongest where they are: matching fewer takes a sixteenth of the time.
  private static let strongest = 500
  /// So many matches that agree, over so many cells of the picture, leave no doubt: pictures of different scenes have a
  /// dozen by chance.
  private static let (inliers, cells) = (30, 16)

  /// Whether two pictures show one scene, by their strongest features alone: a few thousandths of a second.
  /// - Returns: the first's pixels on the second; nil where features leave it open.
  /// - Throws: `ShimError` when memory runs out.
  package func glance(at frame: FrameDescription, on other: FrameDescription) throws(ShimError) -> Homography? {
    let matches = try frame.features.matches(with: other.features, strongest: Self.strongest, ratio: 0.8)
    let threshold = 2 * max(frame.featureScale, other.featureScale)
    guard matches.count >= Self.inliers,
      let fit = try fitRobustly(matches, affine: model != .homography, threshold: threshold),
      fit.inliers.count >= Self.inliers
    else { return nil }
    let grid = CoverageGrid(size: other.proxySize)
    let map = coarseSearch(of: frame, on: other).fullSize(fit.map)
    guard grid.cells(fit.inliers.lazy.map { matches[$0].to }).count >= Self.cells,
      limits.rejection(of: map, frame: frame.size, reference: other.size) == nil
    else { return nil }
    return map
  }

  /// The correlation of whole pictures of one scene at least.
  private static let agreement = 0.25

  /// Whether two pictures show one scene, by all that registration knows: a tenth of a second.
  /// - Throws: `ShimError` when memory runs out.
  package func look(at frame: FrameDescription, on other: FrameDescription) throws(ShimError) -> Sight {
    switch try search(frame, prepare(other)).best().result {
    case .success(let motion):
      // Corners of what is only in front of two scenes may agree, too.
      let map = coarseSearch(of: frame, on: other).proxy(motion.map)
      let agreement = Agreement(frame: frame.whitened, reference: other.whitened).correlation(along: map)
      return agreement < Self.agreement ? .different : .same(motion.map)
    case .failure(.tooFewFeatures), .failure(.repeating), .failure(.tooFaint): return .open
    case .failure: return .different
    }
  }

  /// How far the corner that moves the most does between two pictures, as a share of the width.
  package func motion(of map: Homography, size: Size) -> Double { limits.motion(of: map, frame: size, reference: size) }
}
