package import Frames

/// Decides which frames may speak at which place of the reference.
///
/// Frames are compared as small registered pictures. Where nearly all agree, everybody may speak, and the median
/// settles it. Elsewhere the frames, and their median, are candidates; which of them to follow is decided for whole
/// regions at once, by three things: how many frames back a candidate, counted nearly once per stretch of time;
/// whether it has borders that rivals lack where the two begin to differ (somebody who stands in front of a wall has
/// an outline that the wall does not continue); and seams, which should run where the candidates agree (Agarwala et
/// al., "Interactive Digital Photomontage", SIGGRAPH 2004). Nothing is invented: every cell follows frames.
package struct Selector: Sendable {
  /// Who sees people, vehicles and animals; nil when nobody does.
  package let detector: Detector?

  package init(detector: Detector? = nil) { self.detector = detector }

  /// - Parameters:
  ///   - frames: the accepted frames, in the order in which they were taken; all of one encoding and depth.
  ///   - size: the reference's, in pixels.
  ///   - reference: the reference's position among the frames.
  ///   - edits: what a person knows better.
  ///   - crop: what the plate shows of the reference; nil where it does not matter how its rim looks.
  ///   - threads: tasks that work at once; the plan does not depend on it.
  ///   - progress: is told from any task which share of the work is done, 0...1.
  /// - Throws: `EditError`, `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  package func plan(
    _ frames: [RegisteredFrame], reference: RegisteredIndex, size: Size, edits: [Edit] = [], crop: Region? = nil,
    threads: Int, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> SelectionPlan {
    let contest = try await contest(
      frames, reference: reference, size: size, edits: edits, crop: crop, threads: threads, progress: progress)
    return try await EditedContest(contest).adding(edits, threads: threads).plan(threads: threads)
  }

  /// The frames, compared, for plans with these edits or others that name no further frames.
  /// - Parameters: as for `plan`.
  /// - Throws: as `plan`.
  package func contest(
    _ frames: [RegisteredFrame], reference: RegisteredIndex, size: Size, edits: [Edit] = [], crop: Region? = nil,
    threads: Int, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> Contest {
    for edit in edits { try edit.place.check(size: size) }
    return try await Contest(
      frames, reference: reference, including: edits.compactMap(\.frame), size: size, crop: crop,
      detector: detector, threads: threads, progress: progress)
  }

  /// The noise of full-size samples, one per plane, as a plan would hold it.
  /// - Parameters: as for `plan`.
  /// - Throws: `CancellationError`.
  package static func noise(
    of frames: [RegisteredFrame], reference: RegisteredIndex, size: Size, threads: Int
  ) async throws -> [NoiseLevel] {
    let compared = ComparedFrames(among: frames.count, reference: reference)
    return try await measureNoise(of: compared.positions.map { frames[$0] }, size: size, threads: threads)
  }
}
