import CShimKernels
package import Frames
import ShimSupport

/// A motion that some of the features agree on, frame to reference.
package struct CoarseMotion: Sendable {
  var map: Homography
  var inliers: Int
  /// Cells of the reference that the agreeing features lie in.
  var cells: Int
}

/// Motions that are possible for a frame, likeliest first, or why there is none.
package typealias CoarseMotions = Result<[CoarseMotion], Rejection>

/// The search for how one frame may lie on another, by matched features: to about a pixel of the proxy.
struct CoarseSearch: Sendable {
  let model: AlignmentModel
  let limits: MotionLimits
  let frame: FrameDescription
  let reference: FrameDescription

  /// A map between proxies as one between full-size pictures, and back.
  func fullSize(_ map: Homography) -> Homography {
    (map * frame.toProxy).flatMap { reference.toFull * $0 } ?? .identity
  }

  func proxy(_ map: Homography) -> Homography {
    (map * frame.toFull).flatMap { reference.toProxy * $0 } ?? .identity
  }

  func fullSize(_ candidate: CoarseMotion) -> CoarseMotion {
    CoarseMotion(map: fullSize(candidate.map), inliers: candidate.inliers, cells: candidate.cells)
  }

  func proxy(_ candidate: CoarseMotion) -> CoarseMotion {
    CoarseMotion(map: proxy(candidate.map), inliers: candidate.inliers, cells: candidate.cells)
  }

  /// Motions on which matched features agree, to about a pixel, in proxy pixels, by falling extent; never empty on
  /// success.
  func motions() throws(ShimError) -> CoarseMotions {
    guard frame.features.count >= limits.inliers / 2 else {
      return .failure(.tooFewFeatures(found: frame.features.count))
    }
    var found = try motions(strongest: Self.scouts)
    if !found.isClear || found.inliers < Self.enough { found = try motions() }
    if !found.isClear {
      let more = try matches(ratio: 0.9)
      for group in groups(of: more) { try fit(group, within: more, into: &found) }
    }
    guard !found.candidates.isEmpty else { return .failure(found.rejection) }
    return .success(Array(found.candidates.sorted { $0.cells > $1.cells }.prefix(4)))
  }

  /// Features that are matched first: with half as many, matching takes a quarter of the time.
  private static let scouts = FrameDescription.featureCount / 2
  /// Inliers among them that leave no doubt.
  private static let enough = 150

  /// What has been found so far, and the reason to give when that is nothing.
  private struct Found {
    var candidates: [CoarseMotion] = []
    var rejection: Rejection
    /// How many matches the candidates were found among.
    let matches: Int

    init(among matches: Int, none rejection: Rejection) {
      self.matches = matches
      self.rejection = rejection
    }

    /// The most that one motion has.
    var inliers: Int { candidates.map(\.inliers).max() ?? 0 }

    /// One motion explains so much that no other needs to be looked for.
    var isClear: Bool { inliers * 2 > matches }
  }

  /// Matches of those features that count.
  private func matches(strongest: Int = .max, ratio: Double) throws(ShimError) -> [Correspondence] {
    try frame.features.matches(with: reference.features, strongest: strongest, ratio: ratio)
      .filter { reference.counts($0.to) && frame.counts($0.from) }
  }

  /// Motions among the matches of the features that are strongest where they are.
  private func motions(strongest: Int = .max) throws(ShimError) -> Found {
    let matches = try matches(strongest: strongest, ratio: 0.8)
    var found = Found(among: matches.count, none: .tooFewInliers(found: 0, needed: limits.inliers))
    try peel(matches, into: &found)
    return found
  }

  private var threshold: Double { 2 * max(frame.featureScale, reference.featureScale) }

  /// Finds one motion after another, each among the matches that those before leave.
  private func peel(_ matches: [Correspondence], into found: inout Found) throws(ShimError) {
    var matches = matches
    var most = 0
    for _ in 0..<3 {
      let hypothesis = try fitRobustly(matches, affine: model != .homography, threshold: threshold)
      guard let hypothesis, hypothesis.inliers.count >= 12, hypothesis.inliers.count * 4 >= most else {
        if most == 0, let hypothesis {
          found.rejection = .tooFewInliers(found: hypothesis.inliers.count, needed: limits.inliers)
        }
        return
      }
      most = max(most, hypothesis.inliers.count)
      add(hypothesis, of: matches, to: &found)
      let explained = Set(hypothesis.inliers)
      matches = matches.indices.filter { !explained.contains($0) }.map { matches[$0] }
      guard matches.count >= 24 else { return }
    }
  }

  private func add(_ hypothesis: Hypothesis, of matches: [Correspondence], to found: inout Found) {
    let size = reference.size
    if let why = limits.rejection(of: fullSize(hypothesis.map), frame: frame.size, reference: size) {
      // Of another scene, too, some matches agree on something, which bends the picture.
      let isOther = hypothesis.inliers.count < limits.inliers
      let few = Rejection.tooFewInliers(found: hypothesis.inliers.count, needed: limits.inliers)
      if found.candidates.isEmpty { found.rejection = isOther ? few : why }
      return
    }
    let isKnown = found.candidates.contains {
      $0.map.cornerDistance(to: hypothesis.map, size: frame.proxySize) < 4 * threshold
    }
    guard !isKnown else { return }
    let grid = CoverageGrid(size: reference.proxySize)
    let cells = grid.cells(hypothesis.inliers.lazy.map { matches[$0].to }).count
    found.candidates.append(CoarseMotion(map: hypothesis.map, inliers: hypothesis.inliers.count, cells: cells))
  }
}

// Where crowds fill the picture, too few matches are the scene's for random samples to hit. A hand-held camera's motion
// is nearly a shift, though, and the scene's matches share it over many cells.
extension CoarseSearch {
  private static let groupCount = 4
  /// How far displacements of one group may lie from its centre, as a share of the width.
  private static let groupRadius = 0.04

  /// Matches with about the same displacement, the groups that spread over the most cells first.
  private func groups(of matches: [Correspondence]) -> [[Correspondence]] {
    let size = reference.proxySize
    let grid = CoverageGrid(size: size)
    // A frame of another resolution is compared in the reference's pixels.
    let scale = Double(size.width) / Double(frame.proxySize.width)
    let shifts = matches.map { Point(x: $0.to.x - $0.from.x * scale, y: $0.to.y - $0.from.y * scale) }
    let cells = matches.map { grid.cell($0.to) }
    let radius = Self.groupRadius * Double(size.width)
    let furthest = limits.cornerMotion * Double(size.width)
    let origin = Point(x: 0, y: 0)
    var remaining = matches.indices.filter { shifts[$0].distance(to: origin) < furthest }
    var result: [[Correspondence]] = []
    while result.count < Self.groupCount, remaining.count >= 12 {
      var best: [Int] = []
      var bestCells = 0
      for k in stride(from: 0, to: remaining.count, by: max(1, remaining.count / 200)) {
        let centre = shifts[remaining[k]]
        let group = remaining.filter { shifts[$0].distance(to: centre) < radius }
        let count = Set(group.lazy.map { cells[$0] }).count
        if count > bestCells { (best, bestCells) = (group, count) }
      }
      guard best.count >= 12 else { break }
      result.append(best.map { matches[$0] })
      let taken = Set(best)
      remaining.removeAll { taken.contains($0) }
    }
    return result
  }

  /// Fits a group, and counts whom of all matches the motion explains.
  private func fit(_ group: [Correspondence], within matches: [Correspondence], into found: inout Found)
    throws(ShimError)
  {
    guard let hypothesis = try fitRobustly(group, affine: model != .homography, threshold: threshold) else {
      return
    }
    let explained = matches.indices.filter {
      hypothesis.map(Point(matches[$0].from)).distance(to: Point(matches[$0].to)) < threshold
    }
    guard explained.count >= 12 else { return }
    add(Hypothesis(map: hypothesis.map, inliers: explained), of: matches, to: &found)
  }
}
