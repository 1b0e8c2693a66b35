import CShim
public import Frames
public import ShimSupport

/// Finds how frames lie on a reference.
///
/// Descriptions and registrations are pure functions of their arguments: any number may run at once, and the result
/// does not depend on how many do.
public struct Registrar: Sendable {
  public var model: AlignmentModel
  /// Whether a residual mesh may follow a homography.
  public var mesh: Bool
  public var limits: MotionLimits

  public init(model: AlignmentModel = .homography, mesh: Bool = true, limits: MotionLimits = MotionLimits()) {
    self.model = model
    self.mesh = mesh
    self.limits = limits
  }

  /// Reduces a frame to what registration needs of it, about 3 bytes per pixel of a 2 to 5 megapixel proxy.
  /// - Throws: `ShimError` when memory runs out.
  public func describe(_ frame: Frame) throws(ShimError) -> FrameDescription {
    try FrameDescription(frame)
  }

  /// Prepares a description as the one that others are registered to.
  /// - Throws: `ShimError` when memory runs out.
  public func reference(_ description: FrameDescription) throws(ShimError) -> Reference {
    try Reference(description)
  }

  /// Registers a frame directly to the reference.
  /// - Parameter index: the frame's place in the burst, for the result.
  /// - Returns: an alignment whose verdict says whether it can be used; its photometric match and sharpness are not
  ///   measured yet.
  /// - Throws: `ShimError` when memory runs out.
  public func register(_ frame: FrameDescription, index: Int, planes: Int, to reference: Reference)
    throws(ShimError) -> Alignment
  {
    var alignment = Alignment.reference(index: index, planes: planes)
    if model == .none {
      if frame.size != reference.description.size { alignment.verdict = .rejected(.implausibleGeometry) }
      return alignment
    }
    do {
      let motion = try motion(of: frame, to: reference)
      alignment.homography = motion.map
      alignment.mesh = motion.mesh
      alignment.inliers = motion.inliers
      alignment.residual = motion.residual
    } catch let failure {
      switch failure {
      case .rejected(let rejection): alignment.verdict = .rejected(rejection)
      case .shim(let error): throw error
      }
    }
    return alignment
  }
}

extension Registrar {
  /// How a frame lies on another, from matched features alone: to about a pixel of the proxy, in full-size pixels.
  /// - Returns: nil when the two do not fit.
  /// - Throws: `ShimError` when memory runs out.
  func coarseHomography(of frame: FrameDescription, to reference: FrameDescription) throws(ShimError) -> Homography? {
    if model == .none { return .identity }
    do { return fullSize(try coarse(frame, reference), frame, reference) } catch {
      switch error {
      case .rejected: return nil
      case .shim(let error): throw error
      }
    }
  }
}

/// What stops a registration.
enum RegistrationFailure: Error {
  case rejected(Rejection)
  case shim(ShimError)
}

/// How a frame lies on the reference, in full-size pixels.
struct Motion: Sendable {
  /// Frame to reference.
  var map: Homography
  var mesh: ResidualMesh?
  var inliers: Int
  /// Root mean square of the inliers' residuals.
  var residual: Double
}

extension Registrar {
  private func motion(of frame: FrameDescription, to reference: Reference) throws(RegistrationFailure) -> Motion {
    let coarse = try coarse(frame, reference.description)
    let there = coarse.inverse ?? .identity
    let tracks: [Track]
    do {
      tracks = try track(
        reference.corners, from: reference.description.pyramid, into: frame.pyramid, map: there, coarsest: 2)
    } catch { throw .shim(error) }
    let correspondences = tracks.map(\.correspondence)
    let size = reference.description.proxySize
    guard let fit = try fit(correspondences, size: size, start: coarse) else {
      throw .rejected(.tooFewInliers(found: 0, needed: limits.inliers))
    }
    guard fit.inliers.count >= limits.inliers else {
      throw .rejected(.tooFewInliers(found: fit.inliers.count, needed: limits.inliers))
    }
    let map = fullSize(fit.map, frame, reference.description)
    if let rejection = limits.rejection(of: map, frame: frame.size, reference: reference.description.size) {
      throw .rejected(rejection)
    }
    let grid = CoverageGrid(size: size)
    let seen = visibleCells(reference, frame: frame, map: fit.map, grid: grid)
    let agreeing = grid.cells(fit.inliers.lazy.map { correspondences[$0].to })
    let needed = max(4, Int((Double(seen) * limits.spread).rounded()))
    guard agreeing.count >= needed else { throw .rejected(.poorSpread(cells: agreeing.count, needed: needed)) }
    let squares = fit.inliers.reduce(0.0) { sum, i in
      let d = fit.map(Point(correspondences[i].from)).distance(to: Point(correspondences[i].to))
      return sum + d * d
    }
    let residual = (squares / Double(fit.inliers.count)).squareRoot() * Double(reference.description.factor)
    let mesh = mesh && model == .homography ? residualMesh(tracks, map: fit.map, reference: reference) : nil
    return Motion(map: map, mesh: mesh, inliers: fit.inliers.count, residual: residual)
  }

  /// What the homography leaves, in full-size pixels; nil where that is nothing.
  private func residualMesh(_ tracks: [Track], map: Homography, reference: Reference) -> ResidualMesh? {
    let description = reference.description
    let fit = MeshFit(size: description.proxySize)
    let observations = tracks.map { fit.observation(at: $0.reference, shows: map(Point($0.frame))) }
    guard let field = fit.fitWhereUseful(observations, noise: 0.1) else { return nil }
    let scale = Double(description.factor)
    return ResidualMesh(
      columns: fit.columns, rows: fit.rows, size: description.size, dx: field.dx.map { Float($0 * scale) },
      dy: field.dy.map { Float($0 * scale) })
  }

  /// Matches features: proxy pixels of the frame to proxy pixels of the reference, to about a pixel.
  private func coarse(_ frame: FrameDescription, _ reference: FrameDescription) throws(RegistrationFailure)
    -> Homography
  {
    do {
      guard frame.features.count >= limits.inliers else {
        throw RegistrationFailure.rejected(.tooFewFeatures(found: frame.features.count))
      }
      let matches = try frame.features.matches(with: reference.features, ratio: 0.8)
      let threshold = 2 * max(frame.featureScale, reference.featureScale)
      let hypothesis = try fitRobustly(matches, affine: model != .homography, threshold: threshold)
      guard let hypothesis, hypothesis.inliers.count >= 12 else {
        throw RegistrationFailure.rejected(
          .tooFewInliers(found: hypothesis?.inliers.count ?? 0, needed: limits.inliers))
      }
      let map = fullSize(hypothesis.map, frame, reference)
      if let rejection = limits.rejection(of: map, frame: frame.size, reference: reference.size) {
        throw RegistrationFailure.rejected(rejection)
      }
      return hypothesis.map
    } catch let error as RegistrationFailure { throw error } catch let error as ShimError { throw .shim(error) } catch {
      preconditionFailure("\(error)")
    }
  }

  private func fit(_ correspondences: [Correspondence], size: Size, start: Homography)
    throws(RegistrationFailure) -> MotionFit?
  {
    let hypothesis: Hypothesis?
    do {
      hypothesis = try fitRobustly(correspondences, affine: model != .homography, threshold: 0.5, iterations: 500)
    } catch { throw .shim(error) }
    let begin = hypothesis?.map ?? start
    let models: [MotionModel] =
      switch model {
      case .homography: [.homography, .affine, .similarity, .translation]
      case .affine: [.affine, .similarity, .translation]
      case .translation, .none: [.translation]
      }
    let fits = models.compactMap {
      refined(begin, model: $0, correspondences: correspondences, size: size, scale: 0.5, floor: 0.05)
    }
    return selected(fits)
  }

  private func fullSize(_ map: Homography, _ frame: FrameDescription, _ reference: FrameDescription) -> Homography {
    (map * frame.toProxy).flatMap { reference.toFull * $0 } ?? .identity
  }

  /// How many cells of the reference hold corners that the frame shows, too.
  private func visibleCells(_ reference: Reference, frame: FrameDescription, map: Homography, grid: CoverageGrid)
    -> Int
  {
    guard let back = map.inverse else { return 0 }
    let size = frame.proxySize
    return grid.cells(
      reference.corners.lazy.filter {
        let p = back(Point($0))
        return p.x >= 12 && p.y >= 12 && p.x < Double(size.width - 12) && p.y < Double(size.height - 12)
      }
    ).count
  }
}
