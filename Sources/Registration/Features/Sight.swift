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

/// What a glance needs of a picture, or of a part of one: features that are strongest where they are.
package struct Glimpse: Sendable {
  /// The whole picture's.
  package let size: Size
  fileprivate let features: Features
  /// The part's pixels on the whole's.
  fileprivate let place: Homography

  /// Enough for a glance; to find and to match more would take several times as long.
  private static let featureCount = 500

  /// - Parameters:
  ///   - frame: the part, as small as it is to be looked at.
  ///   - whole: the whole picture's size, as small.
  ///   - origin: where the part begins in the whole.
  /// - Throws: `ShimError` when memory runs out.
  package init(_ frame: Frame, of whole: Size, at origin: (x: Int, y: Int)) throws(ShimError) {
    size = whole
    place = .translation(x: Double(origin.x), y: Double(origin.y))
    features = try Features(Pyramid(frame, factor: 1), level: 0, maximum: Self.featureCount)
  }
}

extension Registrar {
  /// So many matches that agree, over so many cells of the picture, leave no doubt: pictures of different scenes have a
  /// dozen by chance.
  private static let (inliers, cells) = (30, 16)
  /// Pixels beyond which a match says nothing.
  private static let threshold = 2.0

  /// Whether two pictures show one scene, by their strongest features alone: two thousandths of a second.
  /// - Returns: the first's pixels on the second, both as wholes; nil where features leave it open.
  /// - Throws: `ShimError` when memory runs out.
  package func glance(at picture: Glimpse, on other: Glimpse) throws(ShimError) -> Homography? {
    let matches = try picture.features.matches(with: other.features, ratio: 0.8)
    guard matches.count >= Self.inliers,
      let fit = try fitRobustly(matches, affine: model != .homography, threshold: Self.threshold),
      fit.inliers.count >= Self.inliers,
      CoverageGrid(size: other.size).cells(fit.inliers.lazy.map { matches[$0].to }).count >= Self.cells,
      let back = picture.place.inverse, let map = (other.place * fit.map).flatMap({ $0 * back }),
      limits.rejection(of: map, frame: picture.size, reference: other.size) == nil
    else { return nil }
    return map
  }

  /// The correlation of whole pictures of one scene at least.
  private static let agreement = 0.25

  /// Whether two pictures show one scene, by all that registration knows: a tenth of a second.
  /// - Throws: `ShimError` when memory runs out.
  package func look(at frame: FrameDescription, on other: FrameDescription) throws(ShimError) -> Sight {
    let prepared = try prepare(other)
    switch try search(frame, prepared).best().result {
    case .success(let motion):
      // Corners of what is only in front of two scenes may agree, too.
      let map = coarseSearch(of: frame, on: other).proxy(motion.map)
      let agreement = Agreement(frame: frame.whitened, reference: other.whitened).correlation(along: map)
      guard agreement >= Self.agreement else { return .different }
      // Nobody holds a camera upside down.
      if prepared.repetition.isFound,
        try isUpsideDown(frame, on: prepared, upright: motion.map)
      {
        return .different
      }
      return .same(motion.map)
    case .failure(.tooFewFeatures), .failure(.repeating), .failure(.tooFaint): return .open
    case .failure: return .different
    }
  }

  /// How far the corner that moves the most does between two pictures, as a share of the width.
  package func motion(of map: Homography, size: Size) -> Double { limits.motion(of: map, frame: size, reference: size) }
}
