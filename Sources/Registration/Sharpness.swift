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

  /// Measures every accepted frame on the area that all accepted frames show, and rejects the blurred ones.
  /// - Parameters:
  ///   - alignments: one per description; those already rejected are measured as a whole and stay rejected.
  ///   - reference: its place in the burst; never rejected.
  /// - Throws: `ShimError` when memory runs out.
  package func apply(
    to alignments: [Alignment], frames: [FrameDescription], reference: Int
  ) throws(ShimError) -> [Alignment] {
    let scale = SharpnessScale(frames[reference])
    var result = alignments
    for i in alignments.indices where i != reference && alignments[i].isAccepted {
      let detail = 1 / alignments[i].homography.enlargement(of: frames[i].size)
      if detail < leastDetail { result[i].verdict = .rejected(.tooSmall(share: detail, limit: leastDetail)) }
    }
    if result.count(where: \.isAccepted) < leastFrames { result = alignments }
    let accepted = result.indices.filter { result[$0].isAccepted }
    for i in result.indices where !result[i].isAccepted {
      let sharpness = try scale.comparable(frames[i], homography: nil)
      result[i].sharpness = sharpness.laplacian.variance * sharpness.gain * sharpness.gain
    }
    var comparable: [ComparableLaplacian] = []
    for i in accepted {
      var laplacian = try scale.comparable(frames[i], homography: alignments[i].homography)
      laplacian.gain *= alignments[i].photometric.brightness
      comparable.append(laplacian)
    }
    // What cannot be compared is not called blurred.
    let measured = commonSharpness(comparable, reference: frames[reference].size)
    for (position, i) in accepted.enumerated() {
      result[i].sharpness = measured[position] ?? frames[i].laplacian.variance
    }
    let known = accepted.indices.filter { measured[$0] != nil }
    guard !known.isEmpty else { return result }
    let level = Registration.percentile(known.map { measured[$0]! }, percentile)
    guard level > 0 else { return result }
    let blurred = known.map { accepted[$0] }.filter { $0 != reference && result[$0].sharpness < share * level }
    guard accepted.count - blurred.count >= leastFrames else { return result }
    for i in blurred {
      result[i].verdict = .rejected(.blurred(share: result[i].sharpness / level, limit: share))
    }
    return result
  }
}

extension PhotometricMatch {
  /// What the frame's brightness is multiplied by: green stands for luma where there is none.
  var brightness: Double { channels.count == 3 && channels[1].pivot == 0 ? channels[1].gain : channels[0].gain }
}

/// A frame's Laplacian in the reference's exposure and at its scale.
struct ComparableLaplacian: Sendable {
  var laplacian: LaplacianMoments
  /// Frame to reference.
  var homography: Homography
  /// What the responses are multiplied by.
  var gain: Double
}

/// The scale at which the frames of a burst are compared: for each its own or the reference's, whichever is coarser. A
/// small picture holds no less detail to the pixel than a large one, but more of the scene.
struct SharpnessScale {
  let reference: FrameDescription

  /// Scales that differ by less are the same.
  private static let tolerance = 1.05

  init(_ reference: FrameDescription) { self.reference = reference }

  /// - Parameter homography: frame to reference; nil where it is not known, as if both showed the same.
  /// - Throws: `ShimError` when memory runs out.
  func comparable(_ frame: FrameDescription, homography: Homography?) throws(ShimError) -> ComparableLaplacian {
    let zoom =
      homography.map { $0.enlargement(of: frame.size) } ?? Double(reference.size.width) / Double(frame.size.width)
    var result = ComparableLaplacian(laplacian: frame.laplacian, homography: homography ?? .identity, gain: 1)
    // Pixels of the reference that are one of the frame's Laplacian picture.
    let step = frame.laplacian.step * zoom
    let ratio = step / reference.laplacian.step
    if ratio * Self.tolerance < 1 {
      let width = Double(frame.size.width) * zoom / reference.laplacian.step
      result.laplacian = try frame.laplacian(width: Int(width.rounded()))
    } else if ratio > Self.tolerance {
      let width = Double(reference.size.width) / step
      let coarse = try reference.laplacian(width: Int(width.rounded())).variance
      if coarse > 0 { result.gain = (reference.laplacian.variance / coarse).squareRoot() }
    }
    return result
  }
}

/// The variance of the Laplacian of each frame on the area that all of them show, in the reference's exposure.
///
/// A frame is compared with the others cell by cell, and the middle half of the textured cells counts: neither what a
/// frame happens to show nor who walks through it decides. Where a frame is white it says nothing.
/// - Returns: one per frame; nil for those that show too little of what others do.
func commonSharpness(_ frames: [ComparableLaplacian], reference: Size) -> [Double?] {
  let area = CommonArea(reference: reference, frames: frames.map { ($0.laplacian.frameSize, $0.homography) })
  let variances = frames.map { frame in
    frame.laplacian.variances(over: area, homography: frame.homography).map { $0.map { $0 * frame.gain * frame.gain } }
  }
  let cells = (0..<area.cellCount).compactMap { cell -> (cell: Int, typical: Double)? in
    let values = variances.compactMap { $0[cell] }
    guard values.count * 2 > frames.count else { return nil }
    return (cell, median(values))
  }
  guard !cells.isEmpty else { return frames.map { _ in nil } }
  let level = cells.map(\.typical).reduce(0, +) / Double(cells.count)
  let leastTexture = max(median(cells.map(\.typical)), 1e-9)
  let textured = cells.filter { $0.typical >= leastTexture }
  guard !textured.isEmpty else { return frames.map { _ in level } }
  return variances.map { frame in
    let ratios = textured.compactMap { cell in frame[cell.cell].map { $0 / cell.typical } }
    return ratios.count * 8 >= textured.count ? level * interquartileMean(ratios) : nil
  }
}

/// The mean of the middle half of some values: as robust as needed here, and unlike the median it does not stick to
/// 1 when a frame is itself the typical one in many cells.
private func interquartileMean(_ values: [Double]) -> Double {
  let quarter = values.count / 4
  let middle = values.sorted()[quarter..<values.count - quarter]
  return middle.reduce(0, +) / Double(middle.count)
}
