package import Frames
package import ShimSupport

/// The frames of a burst as the rules of exposure and of sharpness both look at them, measured once.
package struct MeasuredBurst: Sendable {
  let frames: [FrameDescription]
  /// The reference's position among the frames.
  let reference: Int
  let scale: SharpnessScale
  /// Nil for frames that are left out already.
  let laplacians: [ComparableLaplacian?]

  /// - Parameter outcomes: one per description.
  /// - Throws: `ShimError` when memory runs out.
  package init(
    _ outcomes: [FrameOutcome<Alignment>], frames: [FrameDescription], reference: Int
  ) throws(ShimError) {
    (self.frames, self.reference) = (frames, reference)
    scale = SharpnessScale(frames[reference])
    var laplacians: [ComparableLaplacian?] = []
    for (frame, outcome) in zip(frames, outcomes) {
      var laplacian: ComparableLaplacian?
      if let alignment = outcome.value {
        laplacian = try scale.comparable(frame, homography: alignment.homography)
        laplacian?.gain = alignment.photometric.brightness
        laplacian?.doubt = alignment.photometric.doubt
      }
      laplacians.append(laplacian)
    }
    self.laplacians = laplacians
  }
}

/// A frame's Laplacian in the reference's exposure and at its scale.
struct ComparableLaplacian: Sendable {
  var laplacian: LaplacianMoments
  /// Frame to reference.
  var homography: Homography
  /// What the responses are multiplied by to be in the reference's exposure ...
  var gain = 1.0
  /// ... and at its scale.
  var scaling = 1.0
  /// How little the frame is to be believed over the reference, as `PhotometricMatch.doubt`.
  var doubt: SmoothField?

  /// Where a frame is doubted more than this, it clips so much of what others show that it lacks their detail.
  private static let mostDoubt = 0.25

  /// By cell of an area, in the reference's exposure and at its scale; nil where too little is shown, or clipped.
  func variances(over area: CommonArea) -> [Double?] {
    let factor = gain * scaling
    return laplacian.variances(over: area, homography: homography).enumerated().map { cell, variance in
      if let doubt, doubt(area.middle(of: cell)) > Self.mostDoubt { return nil }
      return variance.map { $0 * (factor * factor) }
    }
  }
}

/// The scale at which the frames of a burst are compared: for each its own or the reference's, whichever is coarser. A
/// small picture holds no less detail to the pixel than a large one, but more of the scene.
struct SharpnessScale: Sendable {
  let reference: FrameDescription

  /// Scales that differ by less are the same.
  private static let tolerance = 1.05

  init(_ reference: FrameDescription) { self.reference = reference }

  /// - Parameter homography: frame to reference; nil where it is not known, as if both showed the same.
  /// - Throws: `ShimError` when memory runs out.
  func comparable(_ frame: FrameDescription, homography: Homography?) throws(ShimError) -> ComparableLaplacian {
    let zoom =
      homography.map { $0.enlargement(of: frame.size) } ?? Double(reference.size.width) / Double(frame.size.width)
    var result = ComparableLaplacian(laplacian: frame.laplacian, homography: homography ?? .identity)
    // Pixels of the reference that are one of the frame's Laplacian picture.
    let step = frame.laplacian.step * zoom
    let ratio = step / reference.laplacian.step
    if ratio * Self.tolerance < 1 {
      let width = Double(frame.size.width) * zoom / reference.laplacian.step
      result.laplacian = try frame.laplacian(width: Int(width.rounded()))
    } else if ratio > Self.tolerance {
      let width = Double(reference.size.width) / step
      let coarse = try reference.laplacian(width: Int(width.rounded())).variance
      if coarse > 0 { result.scaling = (reference.laplacian.variance / coarse).squareRoot() }
    }
    return result
  }
}

/// The variance of the Laplacian of each frame on the area that all of them show, in the reference's exposure.
///
/// A frame is compared with the others cell by cell, and the middle half of the textured cells counts: neither what a
/// frame happens to show nor who walks through it decides. Where a frame is white, or clips a colour, it says nothing. Noise is detail to the
/// Laplacian, and there is less of it in a frame that is darkened to the reference's exposure; how much of all is noise,
/// the flattest cells tell at most, and a frame that may be as sharp as the others is taken to be.
/// - Parameter threads: threads that may run at once; the result does not depend on it.
/// - Returns: one per frame; nil for those that show too little of what others do.
func commonSharpness(_ frames: [ComparableLaplacian], reference: Size, threads: Int) -> [Double?] {
  let area = CommonArea(reference: reference, frames: frames.map { ($0.laplacian.frameSize, $0.homography) })
  let variances = mapIndicesInPlace(count: frames.count, threads: threads) { frames[$0].variances(over: area) }
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
  let noise = percentile(cells.map(\.typical), flattest)
  let exposures = frames.map { $0.gain * $0.gain }
  let exposure = median(exposures)
  return zip(variances, exposures).map { frame, own in
    let known = textured.compactMap { cell in frame[cell.cell].map { (cell.typical, ratio: $0 / cell.typical) } }
    guard known.count * 8 >= textured.count else { return nil }
    let ratio = interquartileMean(known.map(\.ratio))
    let withoutNoise = interquartileMean(
      known.map { typical, ratio in ratio / (1 + noise / typical * (own / exposure - 1)) })
    return level * min(max(1, min(ratio, withoutNoise)), max(ratio, withoutNoise))
  }
}

/// The share of cells that hold no more than noise.
private let flattest = 0.1

/// The mean of the middle half of some values: as robust as needed here, and unlike the median it does not stick to
/// 1 when a frame is itself the typical one in many cells.
func interquartileMean(_ values: [Double]) -> Double {
  let quarter = values.count / 4
  let middle = values.sorted()[quarter..<values.count - quarter]
  return middle.reduce(0, +) / Double(middle.count)
}
