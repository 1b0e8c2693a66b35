package import Frames
package import ShimSupport

/// Which frames of a burst are sharp enough to be used.
package struct SharpnessRule: Sendable, Hashable {
  /// The share of the burst's `percentile` below which a frame counts as blurred.
  package var share = 0.5
  package var percentile = 0.8
  /// The share of the reference's detail, along each axis, that a frame must have: one that is enlarged more softens what
  /// it takes part in.
  package var leastDetail = 0.45
  /// Blurred and coarse frames stay when fewer than this many would be left.
  package var leastFrames = 3

  package init() {}

  /// Measures every accepted frame on the area that all accepted frames show, and rejects the blurred ones; never the
  /// reference.
  /// - Parameters:
  ///   - outcomes: frames that are left out already are measured as a whole.
  ///   - burst: the same frames, measured.
  /// - Throws: `ShimError` when memory runs out.
  package func apply(
    to outcomes: [FrameOutcome<Alignment>], of burst: MeasuredBurst, threads: Int = 1
  ) throws(ShimError) -> [FrameOutcome<Alignment>] {
    let frames = burst.frames
    var result = withoutCoarseOnes(outcomes, of: burst)
    for i in result.indices where !result[i].isAccepted {
      let sharpness = try burst.scale.comparable(frames[i], homography: nil)
      let variance = sharpness.laplacian.variance * sharpness.scaling * sharpness.scaling
      result[i] = result[i].with { $0.sharpness = variance }
    }
    let accepted = result.indices.filter { result[$0].isAccepted && burst.laplacians[$0] != nil }
    // What cannot be compared is not called blurred.
    let measured = commonSharpness(
      accepted.compactMap { burst.laplacians[$0] }, reference: frames[burst.reference].size, threads: threads)
    for (i, sharpness) in zip(accepted, measured) {
      result[i] = result[i].with { $0.sharpness = sharpness ?? frames[i].laplacian.variance }
    }
    let known = zip(accepted, measured).compactMap { i, sharpness in sharpness.map { (index: i, sharpness: $0) } }
    guard !known.isEmpty else { return result }
    let level = Registration.percentile(known.map(\.sharpness), percentile)
    guard level > 0 else { return result }
    let soft = known.filter { $0.index != burst.reference && $0.sharpness < share * level }
    let sharp = known.map(\.index).filter { index in !soft.contains { $0.index == index } }
    let blurred = soft.filter { !isSharp($0.index, whereItShowsTheSameAs: sharp, of: burst) }
    guard accepted.count - blurred.count >= leastFrames else { return result }
    for (i, sharpness) in blurred {
      result[i] = result[i].rejected(.blurred(share: sharpness / level, limit: share))
    }
    return result
  }

  /// Whether a frame has as much detail as others where it shows the same. Who walks through a soft picture has sharper
  /// edges, so that the frame with the fewest people has the least detail of all.
  private func isSharp(
    _ index: Int, whereItShowsTheSameAs others: [Int], of burst: MeasuredBurst
  ) -> Bool {
    let laplacians = ([index] + others).compactMap { burst.laplacians[$0] }
    let reference = burst.frames[burst.reference]
    let area = CommonArea(
      reference: reference.size, frames: laplacians.map { ($0.laplacian.frameSize, $0.homography) })
    let shown = ShownAlike(
      zip([index] + others, laplacians).map { (burst.frames[$0], $1.homography, $1.gain) }, area: area, on: reference)
    let variances = laplacians.map { $0.variances(over: area) }
    let cells = (0..<area.cellCount).compactMap { cell -> (typical: Double, own: Double)? in
      let alike = (1..<variances.count).filter { shown.isAlike(0, $0, in: cell) }.compactMap { variances[$0][cell] }
      guard let own = variances[0][cell], !alike.isEmpty else { return nil }
      // People who look like the place add detail, and nobody takes any away.
      return (Registration.percentile(alike, 0.25), own)
    }
    guard cells.count >= Self.leastCells else { return false }
    let leastTexture = max(median(cells.map(\.typical)), 1e-9)
    return interquartileMean(cells.filter { $0.typical >= leastTexture }.map { $0.own / $0.typical }) >= share
  }

  /// Cells that show the same in a frame and in others, of which its sharpness can be told.
  private static let leastCells = 32

  /// Rejects frames that would have to be enlarged too much.
  private func withoutCoarseOnes(
    _ outcomes: [FrameOutcome<Alignment>], of burst: MeasuredBurst
  ) -> [FrameOutcome<Alignment>] {
    let result = zip(outcomes.indices, outcomes).map { i, outcome in
      guard i != burst.reference, let alignment = outcome.value else { return outcome }
      let detail = 1 / alignment.homography.enlargement(of: burst.frames[i].size)
      return detail < leastDetail ? outcome.rejected(.tooSmall(share: detail, limit: leastDetail)) : outcome
    }
    return result.count(where: \.isAccepted) < leastFrames ? outcomes : result
  }
}
