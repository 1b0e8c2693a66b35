import Registration
import ShimSupport
import Synchronization

/// Finds out how frames lie on each other while the last of them are still being decoded, for the choice of the
/// reference.
final class EarlyPoses: Sendable {
  /// The place among the inputs of the frame that the others are placed on.
  let origin: Int
  private let choice: ReferenceChoice
  private let description = Mutex<FrameDescription?>(nil)

  /// - Parameter taken: places among the inputs of those that take part, in the order in which they were taken.
  /// - Returns: nil where the reference is not chosen by poses.
  init?(_ taken: [Int], _ options: Options, registrar: Registrar) {
    guard options.reference == .auto, options.alignment == nil, options.align != .none, !taken.isEmpty else {
      return nil
    }
    origin = taken[ReferenceChoice.origin(count: taken.count)]
    choice = ReferenceChoice(registrar: registrar)
  }

  func receive(_ description: FrameDescription, index: Int) {
    if index == origin { self.description.withLock { $0 = description } }
  }

  /// - Returns: nil for the origin itself, and where it has not come in yet.
  /// - Throws: `ShimError` when memory runs out.
  func pose(of frame: FrameDescription, index: Int) throws(ShimError) -> Pose? {
    guard index != origin, let origin = description.withLock(\.self) else { return nil }
    return try choice.pose(of: frame, on: origin)
  }
}
