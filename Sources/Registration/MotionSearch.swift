import CShim
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

  /// Corners that are tracked from coarse to fine; the others start from what these tell.
  private static let scouts = 600
  /// A runner-up with this share of the winner's cells makes the choice doubtful ...
  private static let rivalry = 0.3
  /// ... and so does a winner with less than this share of the cells that could agree.
  private static let consent = 0.4

  var limits: MotionLimits { registrar.limits }

  /// Finds the motion that the largest part of the picture agrees on: extent decides, not the number of
  /// correspondences, so that one richly textured thing that moves does not outvote the scene.
  func best() throws(ShimError) -> Outcome {
    let found: Result<[Candidate], Rejection> = try candidates()
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
      let maps = ([chosen.candidate] + outcomes.map(\.candidate)).map { fullSize($0.map) }
      return Outcome(result: chosen.result, candidates: maps, isDoubtful: isDoubtful)
    }
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
    let map = fullSize(fit.map)
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

  /// Tracks the reference's corners: some from coarse to fine, which tell where to look for the others.
  private func tracks(from start: Homography) throws(ShimError) -> (tracks: [Track], fit: MotionFit?) {
    guard let pyramid = reference.pyramid else { return ([], nil) }
    let framePyramid = try frame.pyramid()
    let corners = reference.corners
    let scouts = Array(corners.prefix(Self.scouts))
    var tracks = try track(scouts, from: pyramid, into: framePyramid, map: start.inverse ?? .identity, coarsest: 2)
    guard let scouted = try fit(tracks, from: start), let back = scouted.map.inverse else { return (tracks, nil) }
    guard corners.count > scouts.count else { return (tracks, scouted) }
    let others = Array(corners.dropFirst(scouts.count))
    tracks += try track(
      others, from: pyramid, into: framePyramid, map: back,
      starts: followsResidual ? predictions(for: others, tracks: tracks, map: scouted.map) : nil, coarsest: 0)
    return (tracks, refit(tracks, from: scouted.map, scale: max(scouted.spread, 0.1)))
  }

  private var followsResidual: Bool { registrar.mesh && registrar.model == .homography }

  private func predictions(for corners: [cs_point], tracks: [Track], map: Homography) -> [cs_point]? {
    let mesh = MeshFit(size: reference.description.proxySize)
    let observations = tracks.map { mesh.observation(at: $0.reference, shows: map(Point($0.frame)), weight: $0.weight) }
    guard let field = mesh.fit(observations, noise: 0.1) else { return nil }
    return corners.map { corner in
      let (x, y) = mesh.value(field, at: mesh.observation(at: corner, shows: Point(corner)))
      return cs_point(x: x, y: y)
    }
  }

  private func fit(_ tracks: [Track], from start: Homography) throws(ShimError) -> MotionFit? {
    let hypothesis = try fitRobustly(
      tracks.map(\.correspondence), affine: registrar.model != .homography, threshold: 0.5, iterations: 500)
    return refit(tracks, from: hypothesis?.map ?? start, scale: 0.5)
  }

  private func refit(_ tracks: [Track], from start: Homography, scale: Double) -> MotionFit? {
    let models: [MotionModel] =
      switch registrar.model {
      case .homography: [.homography, .affine, .similarity, .translation]
      case .affine: [.affine, .similarity, .translation]
      case .translation, .none: [.translation]
      }
    let correspondences = tracks.map(\.correspondence)
    let size = reference.description.proxySize
    return selected(
      models.compactMap {
        refined(start, model: $0, correspondences: correspondences, size: size, scale: scale, floor: 0.05)
      })
  }

  /// What the homography leaves, in full-size pixels; nil where that is nothing.
  private func residualMesh(_ tracks: [Track], map: Homography) -> ResidualMesh? {
    guard followsResidual else { return nil }
    let description = reference.description
    let fit = MeshFit(size: description.proxySize)
    let observations = tracks.map { fit.observation(at: $0.reference, shows: map(Point($0.frame)), weight: $0.weight) }
    guard let field = fit.fitWhereUseful(observations, noise: 0.1) else { return nil }
    let scale = Double(description.factor)
    return ResidualMesh(
      columns: fit.columns, rows: fit.rows, size: description.size, dx: field.dx.map { Float($0 * scale) },
      dy: field.dy.map { Float($0 * scale) })
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

  /// A map between proxies as one between full-size pictures, and back.
  func fullSize(_ map: Homography) -> Homography {
    (map * frame.toProxy).flatMap { reference.description.toFull * $0 } ?? .identity
  }

  func proxy(_ map: Homography) -> Homography {
    (map * frame.toFull).flatMap { reference.description.toProxy * $0 } ?? .identity
  }
}
