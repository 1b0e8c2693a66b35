import Frames

/// Fits a motion to whole whitened pictures where there are no features to match: by Gauss and Newton on the pictures'
/// difference (Lucas and Kanade, IJCAI 1981; the mean of both gradients after Benhimane and Malis, IROS 2004).
struct DenseFit: Sendable {
  let agreement: Agreement

  /// Samples between two that are looked at.
  private static let stride = 2
  /// A difference from which on a sample hardly counts, in local standard deviations.
  private static let cutoff = 0.8

  /// The motion near `start` along which the pictures agree best.
  /// - Parameters:
  ///   - start: frame to reference, proxy pixels; right to two or three samples.
  ///   - models: what may move, one after another.
  /// - Returns: nil when the pictures do not determine one.
  func fit(from start: Homography, models: [MotionModel] = [.translation, .similarity, .homography]) -> Homography? {
    var map = start
    for model in models {
      for _ in 0..<6 {
        guard let step = step(model, at: map) else { return nil }
        guard let next = step.map * map else { return nil }
        map = next
        if step.length < 0.02 { break }
      }
    }
    return map
  }

  /// The small motion, reference to reference, that brings the warped frame onto the reference, and how far it moves a
  /// corner, in samples.
  private func step(_ model: MotionModel, at map: Homography) -> (map: Homography, length: Double)? {
    let reference = agreement.reference
    guard let warped = agreement.frame.warped(by: map, onto: reference) else { return nil }
    let equations = equations(reference, warped)
    guard let d = model.step(solving: equations) else { return nil }
    // The frame shows at p what the reference shows at p + d(p), in units of half the width about the centre.
    let small = Homography(1 + d[0], d[1], d[2], d[3], 1 + d[4], d[5], d[6], d[7])
    let unit = Double(max(reference.size.width, reference.size.height)) / 2
    let (cx, cy) = (Double(reference.size.width - 1) / 2, Double(reference.size.height - 1) / 2)
    let toSamples = Homography(unit, 0, cx, 0, unit, cy, 0, 0)
    let fromSamples = Homography(1 / unit, 0, -cx / unit, 0, 1 / unit, -cy / unit, 0, 0)
    guard let inSamples = (small * fromSamples).flatMap({ toSamples * $0 }) else { return nil }
    guard let inProxy = (inSamples * reference.fromProxy).flatMap({ reference.toProxy * $0 }) else { return nil }
    return (inProxy, inSamples.cornerDistance(to: .identity, size: reference.size))
  }

  private func equations(_ reference: SmallPicture, _ warped: WarpedPicture) -> NormalEquations<8> {
    var equations = NormalEquations<8>()
    let (width, height) = (reference.size.width, reference.size.height)
    let unit = Double(max(width, height)) / 2
    let (cx, cy) = (Double(width - 1) / 2, Double(height - 1) / 2)
    // Differences of bytes to local standard deviations.
    let scale = 1.0 / 63
    for y in Swift.stride(from: 1, to: height - 1, by: Self.stride) {
      let columns = warped.spans[y].clamped(to: 1..<max(width - 1, 1))
        .clamped(to: warped.spans[y - 1]).clamped(to: warped.spans[y + 1])
      for x in Swift.stride(from: columns.lowerBound + 1, to: columns.upperBound - 1, by: Self.stride) {
        let p = y * width + x
        func both(_ q: Int) -> Double { Double(reference.samples[q]) + Double(warped.picture.samples[q]) }
        let gx = (both(p + 1) - both(p - 1)) * scale / 4
        let gy = (both(p + width) - both(p - width)) * scale / 4
        let difference = (Double(warped.picture.samples[p]) - Double(reference.samples[p])) * scale
        let (u, v) = ((Double(x) - cx) / unit, (Double(y) - cy) / unit)
        let (a, b) = (gx * unit, gy * unit)
        let ratio = difference / Self.cutoff
        let weight = 1 / ((1 + ratio * ratio) * (1 + ratio * ratio))
        let along = -(a * u + b * v)
        equations.add([a * u, a * v, a, b * u, b * v, b, along * u, along * v], equals: difference, weight: weight)
      }
    }
    return equations
  }
}
