/// Which motions between frames registration may find.
public enum AlignmentModel: String, Sendable, Hashable, CaseIterable, Codable {
  /// Eight degrees of freedom: a camera that turns, or moves in front of a plane.
  case homography
  /// Six: shift, rotation, scale and shear.
  case affine
  /// Two: a shift.
  case translation
  /// No motion: tripods and long exposures.
  case none
}
