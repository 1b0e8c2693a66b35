public import Frames

/// Which frames of a burst are sharp enough to be used.
public struct SharpnessRule: Sendable, Hashable {
  /// The share of the burst's `percentile` below which a frame counts as blurred.
  public var share = 0.5
  public var percentile = 0.8
  /// Blurred frames stay when fewer than this many would be left.
  public var leastFrames = 3

  public init() {}

  /// Measures every accepted frame on the area that all accepted frames show, and rejects the blurred ones.
  /// - Parameters:
  ///   - alignments: one per description; those already rejected are measured as a whole and stay rejected.
  ///   - reference: its place in the burst; never rejected.
  public func apply(
    to alignments: [Alignment], laplacians: [LaplacianMoments], reference: Int
  ) -> [Alignment] {
    var result = alignments
    let accepted = alignments.indices.filter { alignments[$0].isAccepted }
    for i in result.indices { result[i].sharpness = laplacians[i].variance }
    // Frames that share nothing cannot be compared, so none is called blurred.
    guard
      let measured = commonSharpness(
        accepted.map { i in
          let gains = alignments[i].photometric.channels
          return (
            laplacians[i], alignments[i].homography,
            gains.count == 3 && gains[1].pivot == 0 ? gains[1].gain : gains[0].gain
          )
        }, reference: laplacians[reference].frameSize)
    else { return result }
    for (i, sharpness) in zip(accepted, measured) { result[i].sharpness = sharpness }
    guard !accepted.isEmpty else { return result }
    let level = Registration.percentile(accepted.map { result[$0].sharpness }, percentile)
    guard level > 0 else { return result }
    let blurred = accepted.filter { $0 != reference && result[$0].sharpness < share * level }
    guard accepted.count - blurred.count >= leastFrames else { return result }
    for i in blurred {
      result[i].verdict = .rejected(.blurred(share: result[i].sharpness / level, limit: share))
    }
    return result
  }
}

/// The variance of the Laplacian of each frame on the area that all of them show, in the reference's exposure.
///
/// A frame is compared with the others cell by cell, and the middle half of the textured cells counts: neither what a
/// frame happens to show nor who walks through it decides.
/// - Parameter frames: Laplacian, map to the reference, and gain that matches the frame's brightness to the reference's.
/// - Returns: nil when no place is shown by all frames.
func commonSharpness(
  _ frames: [(laplacian: LaplacianMoments, homography: Homography, gain: Double)], reference: Size
) -> [Double]? {
  let area = CommonArea(reference: reference, frames: frames.map { ($0.laplacian.frameSize, $0.homography) })
  let variances = frames.map { frame in
    frame.laplacian.variances(over: area, homography: frame.homography).map { $0.map { $0 * frame.gain * frame.gain } }
  }
  let cells = (0..<area.cellCount).compactMap { cell -> (cell: Int, typical: Double)? in
    let values = variances.compactMap { $0[cell] }
    guard values.count == frames.count else { return nil }
    return (cell, median(values))
  }
  guard !cells.isEmpty else { return nil }
  let level = cells.map(\.typical).reduce(0, +) / Double(cells.count)
  let leastTexture = max(median(cells.map(\.typical)), 1e-9)
  let textured = cells.filter { $0.typical >= leastTexture }
  guard !textured.isEmpty else { return frames.map { _ in level } }
  return variances.map { frame in level * interquartileMean(textured.map { frame[$0.cell]! / $0.typical }) }
}

/// The mean of the middle half of some values: as robust as needed here, and unlike the median it does not stick to
/// 1 when a frame is itself the typical one in many cells.
private func interquartileMean(_ values: [Double]) -> Double {
  let quarter = values.count / 4
  let middle = values.sorted()[quarter..<values.count - quarter]
  return middle.reduce(0, +) / Double(middle.count)
}
