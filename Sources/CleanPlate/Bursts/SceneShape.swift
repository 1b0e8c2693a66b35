import Frames
import Registration

/// What the places of a scene's pictures say: whether the camera stayed, was aimed anew, or went along.
struct SceneShape {
  /// Runs of pictures between which the camera stayed, as places among the members.
  let stays: [Range<Int>]
  /// Whether the pictures that are left move on from one to the next in steps that panoramas have.
  let isPanorama: Bool

  /// How far a corner may lie from where it lies in the middle picture, as a share of the width: what registration bears.
  private static let reach = MotionLimits().cornerMotion
  /// Who aims anew moves the picture by this share of its width between two shots; a hand that trembles does not.
  private static let step = 0.15

  /// - Parameter motion: how far the corner that moves the most does, as a share of the width.
  init(_ scene: Scene, motion: (Homography, Size) -> Double) {
    let poses = scene.poses
    func distance(_ a: Int, _ b: Int) -> Double {
      guard let back = poses[b].inverse, let map = back * poses[a] else { return .infinity }
      return motion(map, scene.size)
    }
    func isWithinReach(_ members: Range<Int>) -> Bool {
      // Some picture in the middle sees all others.
      let middle = members.min { a, b in
        let (one, other) = (members.map { distance($0, a) }.max() ?? 0, members.map { distance($0, b) }.max() ?? 0)
        return (one, a) < (other, b)
      }
      return middle.map { middle in members.allSatisfy { distance($0, middle) < Self.reach } } ?? true
    }
    let all = poses.indices
    // A scene of hundreds would take long to compare each with each, and is no burst.
    if scene.returns == true || all.count > 200 || isWithinReach(all) {
      stays = [all]
      isPanorama = false
      return
    }
    let steps = all.dropFirst().map { distance($0, $0 - 1) }
    var starts = [0] + all.dropFirst().filter { steps[$0 - 1] > Self.step } + [all.count]
    starts = starts.sorted()
    stays = zip(starts, starts.dropFirst()).map { $0..<$1 }.filter(isWithinReach)
    isPanorama = steps.filter { $0 > Self.step }.count * 2 >= steps.count
  }
}
