import CShimKernels
import Frames
import ShimSupport

// How tracked corners make a motion exact, and judge it.
extension MotionSearch {
  /// Corners that are tracked on coarse levels first.
  private static let scouts = 600
  /// How exactly a corner is tracked, in pixels of the proxy.
  private static let cornerNoise = 0.1

  /// Refines a motion that is right to a few pixels, and judges it.
  /// - Parameter start: proxy pixels, frame to reference.
  func refine(_ start: Homography) throws(ShimError) -> Result<RefinedMotion, Rejection> {
    judge(try tracks(from: start))
  }

  /// The same motion without those who move in a frame.
  /// - Parameter isSomebodys: whether a pixel of the reference shows somebody who may.
  /// - Returns: nil where nobody moves who could have led it astray.
  func refine(without groups: MovingGroups, _ isSomebodys: (Point) -> Bool) -> Result<RefinedMotion, Rejection>? {
    groups.still(isSomebodys).map { still in
      judge((still.tracks, refit(still.tracks, from: still.map, scale: 0.25)))
    }
  }

  /// The motion that tracks agree on, if enough of the picture does.
  private func judge(_ found: (tracks: [Track], fit: MotionFit?)) -> Result<RefinedMotion, Rejection> {
    let size = reference.description.proxySize
    guard let fit = found.fit else { return .failure(.tooFewInliers(found: 0, needed: limits.inliers)) }
    guard fit.inliers.count >= limits.inliers else {
      return .failure(.tooFewInliers(found: fit.inliers.count, needed: limits.inliers))
    }
    let map = coarseSearch.fullSize(fit.map)
    if let rejection = limits.rejection(of: map, frame: frame.size, reference: reference.description.size) {
      return .failure(rejection)
    }
    let grid = CoverageGrid(size: size)
    let visible = visibleCells(map: fit.map, grid: grid)
    let agreeing = grid.cells(fit.inliers.lazy.map { found.tracks[$0].reference }).count
    let share = limits.neededSpread(of: map, frame: frame.size, reference: reference.description.size)
    let needed = max(4, Int((Double(visible) * share).rounded()))
    guard agreeing >= needed else { return .failure(.poorSpread(cells: agreeing, needed: needed)) }
    let squares = fit.inliers.reduce(0.0) { $0 + fit.residuals[$1] * fit.residuals[$1] }
    let residual = (squares / Double(fit.inliers.count)).squareRoot() * Double(reference.description.factor)
    let mesh = residualMesh(found.tracks, map: fit.map)
    // A homography alone follows nobody who is a small part of the picture.
    let moving =
      mesh == nil || !registrar.groupsMovers
      ? nil
      : MovingGroups(
        found.tracks, map: fit.map, size: size, bound: MeshFit.bound(of: size), toFull: reference.description.toFull)
    return .success(
      RefinedMotion(
        map: map, mesh: mesh, inliers: fit.inliers.count, residual: residual, cells: agreeing, visibleCells: visible,
        moving: moving, isWithoutMovers: !reference.description.moving.isEmpty))
  }

  /// Tracks the reference's corners: some on coarse levels, which tell how to resample the frame; all of them then have
  /// next to no fraction of a pixel left, of which interpolation would turn some into error.
  private func tracks(from start: Homography) throws(ShimError) -> (tracks: [Track], fit: MotionFit?) {
    guard let back = start.inverse else { return ([], nil) }
    let scouts = Array(reference.corners.prefix(Self.scouts))
    let pyramid = try frame.pyramid()
    let first = try tracks(of: scouts, in: reference.coarsePicture, to: pyramid, along: TrackingPath(map: back))
    guard let coarse = try fit(first, from: start), let back = coarse.map.inverse else { return (first, nil) }
    let second = try tracks(of: scouts, in: reference.coarsePicture, to: pyramid, along: TrackingPath(map: back))
    guard let nearly = refit(second, from: coarse.map, scale: 1), let back = nearly.map.inverse else {
      return (second, nil)
    }
    let path = TrackingPath(map: back, mesh: followsResidual ? predictedMesh(second, map: nearly.map) : nil)
    let tracks = try tracks(of: reference.corners, in: reference.picture, to: pyramid, along: path)
    return (tracks, refit(tracks, from: nearly.map, scale: 0.25))
  }

  private func tracks(
    of corners: [cs_point], in picture: TrackingPicture, to pyramid: Pyramid, along path: TrackingPath
  ) throws(ShimError) -> [Track] {
    let warped = try TrackingPicture(pyramid, path: path, like: picture)
    return try picture.displacements(of: corners, in: warped, threads: registrar.threads).map { Track($0, path: path) }
  }

  private var followsResidual: Bool { registrar.mesh && registrar.model == .homography }

  /// What the homography leaves by some tracks, in proxy pixels.
  private func predictedMesh(_ tracks: [Track], map: Homography) -> ResidualMesh? {
    let fit = MeshFit(size: reference.description.proxySize, cells: MeshFit.coarseCells)
    return fit.fit(observations(tracks, map: map, fit), noise: 0.2, steps: 3).map {
      fit.mesh($0, size: fit.size, scale: 1)
    }
  }

  private func observations(_ tracks: [Track], map: Homography, _ fit: MeshFit) -> [MeshFit.Observation] {
    tracks.map { fit.observation(at: $0.reference, shows: map(Point($0.frame)), weight: $0.weight) }
  }

  private func fit(_ tracks: [Track], from start: Homography) throws(ShimError) -> MotionFit? {
    let hypothesis = try fitRobustly(
      tracks.map(\.correspondence), affine: registrar.model != .homography, threshold: 1, iterations: 500)
    return refit(tracks, from: hypothesis?.map ?? start, scale: 1)
  }

  private func refit(_ tracks: [Track], from start: Homography, scale: Double) -> MotionFit? {
    let models: [MotionModel] =
      switch registrar.model {
      case .homography: [.homography, .affine, .similarity, .translation]
      case .affine: [.affine, .similarity, .translation]
      case .translation, .none: [.translation]
      }
    let fitter = MotionFitter(tracks.map(\.correspondence), size: reference.description.proxySize)
    return selected(models.compactMap { fitter.fit($0, from: start, scale: scale, floor: 0.05) })
  }

  /// What the homography leaves, in full-size pixels; nil where that is nothing.
  private func residualMesh(_ tracks: [Track], map: Homography) -> ResidualMesh? {
    guard followsResidual else { return nil }
    let description = reference.description
    let coarse = MeshFit(size: description.proxySize, cells: MeshFit.coarseCells)
    guard coarse.isPromising(observations(tracks, map: map, coarse), noise: Self.cornerNoise) else { return nil }
    let fit = MeshFit(size: description.proxySize)
    return fit.fitWhereUseful(observations(tracks, map: map, fit), noise: Self.cornerNoise)
      .map { fit.mesh($0, size: description.size, scale: Double(description.factor)) }
  }

  /// How many cells of the reference hold corners that the frame should show, too.
  private func visibleCells(map: Homography, grid: CoverageGrid) -> Int {
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
