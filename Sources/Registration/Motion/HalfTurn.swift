import Frames
import ShimSupport

extension FrameDescription {
  /// The proxy upside down, described.
  /// - Throws: `ShimError` when memory runs out.
  fileprivate func halfTurned() throws(ShimError) -> FrameDescription {
    let picture = try pyramid().levels[0]
    let turned: Plane
    do {
      turned = try Plane(width: picture.width, height: picture.height) { x, y in
        picture[picture.width - 1 - x, picture.height - 1 - y]
      }
    } catch {
      throw ShimError(kind: .outOfMemory, message: "no memory for a picture upside down")
    }
    return try FrameDescription(Frame(planes: [turned], encoding: .grey(.full), name: ""), keepingPyramid: false)
  }
}

extension Registrar {
  /// How many times as many cells the half turn must win, and how many more at least.
  private static let (lead, leastLead) = (1.5, 5)

  /// Whether a picture lies upside down on one that repeats itself: equal windows fit either way, and only those that
  /// differ tell.
  /// - Parameter map: frame to reference, which explains the picture upright.
  /// - Throws: `ShimError` when memory runs out.
  func isUpsideDown(
    _ frame: FrameDescription, on reference: PreparedReference, upright map: Homography
  ) throws(ShimError) -> Bool {
    let other = reference.description
    let turned = try frame.halfTurned()
    guard case .success(let motion) = try search(turned, reference).best().result else { return false }
    func outcome(_ frame: FrameDescription, _ map: Homography) -> GreyContest.Outcome {
      GreyContest(frame: frame.grey, reference: other.grey).outcome(
        along: coarseSearch(of: frame, on: other).proxy(map))
    }
    let score = GreyContest.score(outcome(turned, motion.map), outcome(frame, map))
    return Double(score.onlyA) >= Self.lead * Double(score.onlyB) && score.onlyA >= score.onlyB + Self.leastLead
  }
}
