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
  package var limits: MotionLimits

  package init(model: AlignmentModel = .homography, mesh: Bool = true, limits: MotionLimits = MotionLimits()) {
    self.model = model
    self.mesh = mesh
    self.limits = limits
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
  package func reference(_ description: FrameDescription, threads: Int = 1) throws(ShimError) -> Reference {
    try Reference(description, threads: threads)
  }

  /// Registers a frame directly to the reference.
  /// - Parameters:
  ///   - index: the frame's place in the burst, for the result.
  ///   - planes: how many planes the frame has, for the result.
  /// - Returns: an alignment whose verdict says whether it can be used; its photometric match and sharpness are not
  ///   measured yet.
  /// - Throws: `ShimError` when memory runs out.
  package func register(_ frame: FrameDescription, index: Int, planes: Int, to reference: Reference)
    throws(ShimError) -> Alignment
  {
    if model == .none { return unmoved(frame, index: index, planes: planes, reference: reference) }
    return alignment(try search(frame, reference).best(), index: index, planes: planes)
  }

  func search(_ frame: FrameDescription, _ reference: Reference) -> MotionSearch {
    MotionSearch(registrar: self, frame: frame, reference: reference)
  }

  func candidates(of frame: FrameDescription, on reference: FrameDescription) -> CandidateSearch {
    CandidateSearch(model: model, limits: limits, frame: frame, reference: reference)
  }

  private func unmoved(_ frame: FrameDescription, index: Int, planes: Int, reference: Reference) -> Alignment {
    var alignment = Alignment.reference(index: index, planes: planes)
    if frame.size != reference.description.size { alignment.verdict = .rejected(.implausibleGeometry) }
    return alignment
  }

  func alignment(_ outcome: MotionSearch.Outcome, index: Int, planes: Int) -> Alignment {
    var alignment = Alignment.reference(index: index, planes: planes)
    switch outcome.result {
    case .success(let motion):
      alignment.homography = motion.map
      alignment.mesh = motion.mesh
      alignment.inliers = motion.inliers
      alignment.residual = motion.residual
    case .failure(let rejection):
      alignment.verdict = .rejected(rejection)
    }
    return alignment
  }
}

/// How a frame lies on the reference, in full-size pixels.
struct Motion: Sendable {
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
}
