import CShimKernels
import Frames
import ShimSupport

/// The search for how one frame lies on another: features give candidates, corners tracked both ways refine them.
struct MotionSearch: Sendable {
  let registrar: Registrar
  let frame: FrameDescription
  let reference: Reference

  struct Outcome: Sendable {
    var result: Result<Motion, Rejection>
    /// The motions that were considered, in full-size pixels, the chosen one first.
    var candidates: [Homography]
    /// Another motion has nearly as much to say for itself, or little of the picture agrees with this one.
    var isDoubtful: Bool
  }

  /// Corners that are tracked on coarse levels first.
  private static let scouts = 600
  /// A runner-up with this share of the winner's cells makes the choice doubtful ...
  private static let rivalry = 0.3
  /// ... and so does a winner with less than this share of the cells that could agree.
  private static let consent = 0.4

  private var limits: MotionLimits { registrar.limits }
  private var candidateSearch: CandidateSearch { registrar.candidates(of: frame, on: reference.description) }

  /// Finds the motion that the largest part of the picture agrees on: extent decides, not the number of
  /// correspondences, so that one richly textured thing that moves does not outvote the scene.
  /// - Parameter known: motions that are possible, full-size pixels, when they have been looked for already.
  func best(among known: Result<[Candidate], Rejection>? = nil) throws(ShimError) -> Outcome {
    let found = if let known = plausible(known) { known } else { try candidateSearch.candidates() }
    switch found {
    case .failure(let rejection):
      return Outcome(result: .failure(rejection), candidates: [], isDoubtful: true)
    case .success(let candidates):
      let rivals = candidates.filter { Double($0.cells) >= Self.rivalry * Double(candidates[0].cells) }
      var outcomes: [(candidate: Candidate, result: Result<Motion, Rejection>)] = []
      for rival in rivals { outcomes.append((rival, try refine(rival.map))) }
      func cells(_ result: Result<Motion, Rejection>) -> Int { (try? result.get())?.cells ?? -1 }
      let winner = outcomes.indices.max { (cells(outcomes[$0].result), -$0) < (cells(outcomes[$1].result), -$1) }!
      let chosen = outcomes.remove(at: winner)
      let runnerUp = outcomes.map { cells($0.result) }.max() ?? 0
      let motion = try? chosen.result.get()
      let isDoubtful =
        motion.map {
          Double(runnerUp) >= Self.rivalry * Double($0.cells)
            || Double($0.cells) < Self.consent * Double($0.visibleCells)
        } ?? true
      let maps = ([chosen.candidate] + outcomes.map(\.candidate)).map { candidateSearch.fullSize($0.map) }
      return Outcome(result: chosen.result, candidates: maps, isDoubtful: isDoubtful)
    }
  }

  /// The known motions in proxy pixels, as far as this reference allows them; nil when none of them is left.
  private func plausible(_ known: Result<[Candidate], Rejection>?) -> Result<[Candidate], Rejection>? {
    guard let known else { return nil }
    guard case .success(let candidates) = known else { return known }
    let allowed = candidates.filter {
      limits.rejection(of: $0.map, frame: frame.size, reference: reference.description.size) == nil
    }
    return allowed.isEmpty ? nil : .success(allowed.map(candidateSearch.proxy))
  }

  /// Refines a motion that is right to a few pixels, and judges it.
  /// - Parameter start: proxy pixels, frame to reference.
  func refine(_ start: Homography) throws(ShimError) -> Result<Motion, Rejection> {
    let size = reference.description.proxySize
    let found = try tracks(from: start)
    guard let fit = found.fit else { return .failure(.tooFewInliers(found: 0, needed: limits.inliers)) }
    guard fit.inliers.count >= limits.inliers else {
      return .failure(.tooFewInliers(found: fit.inliers.count, needed: limits.inliers))
    }
    let map = candidateSearch.fullSize(fit.map)
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
    return .success(
      Motion(
        map: map, mesh: residualMesh(found.tracks, map: fit.map), inliers: fit.inliers.count, residual: residual,
        cells: agreeing, visibleCells: visible))
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
    return try picture.displacements(of: corners, in: warped).map { Track($0, path: path) }
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
    guard coarse.isPromising(observations(tracks, map: map, coarse), noise: 0.1) else { return nil }
    let fit = MeshFit(size: description.proxySize)
    return fit.fitWhereUseful(observations(tracks, map: map, fit), noise: 0.1)
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
