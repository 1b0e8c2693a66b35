import Frames

@testable import Registration

// The steps of registration, one after another, as tests want them.
extension Registrar {
  /// Places all frames and settles those in doubt.
  func register(
    _ frames: [FrameDescription], reference: Int, poses: Poses? = nil, placed early: [Int: PlacedFrame] = [:],
    threads: Int
  ) async throws -> [FrameOutcome<Alignment>] {
    let prepared = try prepare(frames[reference], threads: threads)
    let placed = try await mapIndices(count: frames.count, threads: threads) { i in
      if i == reference { return PlacedFrame.reference(planes: 1) }
      return try early[i]
        ?? place(frames[i], planes: 1, on: prepared, among: poses?.motions(of: i, on: reference))
    }
    return try await mapIndices(count: frames.count, threads: threads) { i in
      try placed[i].isDoubtful ? settle(i, among: placed, of: frames, on: prepared).settled : placed[i].outcome
    }
  }
}

extension SharpnessRule {
  func apply(
    to outcomes: [FrameOutcome<Alignment>], frames: [FrameDescription], reference: Int
  ) throws -> [FrameOutcome<Alignment>] {
    try apply(to: outcomes, of: MeasuredBurst(outcomes, frames: frames, reference: reference))
  }
}

extension ExposureRule {
  func apply(
    to outcomes: [FrameOutcome<Alignment>], frames: [FrameDescription], reference: Int
  ) throws -> [FrameOutcome<Alignment>] {
    apply(to: outcomes, of: try MeasuredBurst(outcomes, frames: frames, reference: reference))
  }
}

/// What was found of a frame, whether it takes part or not.
extension FrameOutcome<Alignment> {
  private var found: Alignment { alignment ?? .reference(planes: 1) }
  var homography: Homography { found.homography }
  var mesh: ResidualMesh? { found.mesh }
  var inliers: Int { found.inliers }
  var residual: Double { found.residual }
  var sharpness: Double { found.sharpness }
  var noise: Double { found.noise }
}
