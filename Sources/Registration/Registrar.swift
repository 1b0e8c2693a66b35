package import Frames
package import ShimSupport

/// Finds how frames lie on a reference.
///
/// Descriptions and registrations are pure functions of their arguments: any number may run at once, and the result
/// does not depend on how many do.
package struct Registrar: Sendable {
  package var model: AlignmentModel
  /// Whether a residual mesh may follow a homography.
  package var mesh: Bool
  /// Whether it is found out what moves by itself in a frame: somebody asks who that is.
  package var groupsMovers: Bool
  package var limits: MotionLimits
  /// Threads that may look for one frame's corners, as far as they have nothing else to do: so the last frames of a burst
  /// take less time. What is found does not depend on it.
  package var threads: Int

  package init(
    model: AlignmentModel = .homography, mesh: Bool = true, groupsMovers: Bool = true,
    limits: MotionLimits = MotionLimits(), threads: Int = 1
  ) {
    self.model = model
    self.mesh = mesh
    self.groupsMovers = groupsMovers
    self.limits = limits
    self.threads = threads
  }

  /// Reduces a frame to what registration needs of it: features, and a pyramid of 1.3 bytes per pixel of a proxy of 2
  /// to 5 megapixels.
  /// - Parameter keepingPyramid: false to save its memory; it is made again, in about a hundredth of a second, whenever
  ///   it is needed, out of the frame, which the description then refers to.
  /// - Throws: `ShimError` when memory runs out.
  package func describe(_ frame: Frame, keepingPyramid: Bool = true) throws(ShimError) -> FrameDescription {
    try FrameDescription(frame, keepingPyramid: keepingPyramid)
  }

  /// Prepares a description as the one that others are registered to.
  /// - Parameter threads: threads that may run at once; the result does not depend on it.
  /// - Throws: `ShimError` when memory runs out.
  package func prepare(_ description: FrameDescription, threads: Int = 1) throws(ShimError) -> PreparedReference {
    try PreparedReference(description, threads: threads)
  }

  func search(_ frame: FrameDescription, _ reference: PreparedReference) -> MotionSearch {
    MotionSearch(registrar: self, frame: frame, reference: reference)
  }

  func coarseSearch(of frame: FrameDescription, on reference: FrameDescription) -> CoarseSearch {
    CoarseSearch(model: model, limits: limits, frame: frame, reference: reference)
  }
}

/// How a frame lies on the reference by tracked corners, to a fraction of a pixel; in full-size pixels.
struct RefinedMotion: Sendable {
  /// Frame to reference.
  var map: Homography
  var mesh: ResidualMesh?
  var inliers: Int
  /// Root mean square of the inliers' residuals.
  var residual: Double
  /// Cells of the reference in which corners agree with the motion.
  var cells: Int
  /// Cells of the reference with corners that the frame should show.
  var visibleCells: Int
  /// What moves by itself in the frame, and its mesh may have followed; nil where it has none, or nobody asks.
  var moving: MovingGroups?
  /// Whether corners on what may move by itself were left out.
  var isWithoutMovers = false
  /// See `Alignment`.
  var isSmallestOfEqual = false

  /// The share of what could agree that does, 0...1.
  var support: Double { visibleCells > 0 ? Double(cells) / Double(visibleCells) : 0 }

  /// Whether people who stay and sway may be all that it is by: less than half of the picture has corners at all, as where
  /// people stand before a plain wall, and less than seven tenths of that agrees. Of a low building below a clear sky, or of
  /// anything else that is few but firm, nearly all does.
  var mayBePeoples: Bool {
    !isWithoutMovers && 2 * visibleCells < CoverageGrid.columns * CoverageGrid.rows && support < 0.7
  }
}
