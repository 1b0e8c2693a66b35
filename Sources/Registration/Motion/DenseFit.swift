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
    guard let d = step(model, from: warped) else { return nil }
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

  /// What the first eight elements of a map grow by, in units of half the width about the centre.
  private func step(_ model: MotionModel, from warped: WarpedPicture) -> InlineArray<8, Double>? {
    // Equations for all eight, of which others would be sums, take as much time as everything else.
    switch model {
    case .translation:
      equations(warped) { [$0.x, $0.y] }.solved().map { [0, 0, $0[0], 0, 0, $0[1], 0, 0] }
    case .similarity:
      equations(warped) { [$0.x * $0.u + $0.y * $0.v, $0.y * $0.u - $0.x * $0.v, $0.x, $0.y] }.solved()
        .map { [$0[0], -$0[1], $0[2], $0[1], $0[0], $0[3], 0, 0] }
    case .affine:
      equations(warped) { [$0.x * $0.u, $0.x * $0.v, $0.x, $0.y * $0.u, $0.y * $0.v, $0.y] }.solved()
        .map { [$0[0], $0[1], $0[2], $0[3], $0[4], $0[5], 0, 0] }
    case .homography:
      equations(warped) {
        let along = -($0.x * $0.u + $0.y * $0.v)
        return [$0.x * $0.u, $0.x * $0.v, $0.x, $0.y * $0.u, $0.y * $0.v, $0.y, along * $0.u, along * $0.v]
      }.solved()
    }
  }

  private typealias Four = SIMD4<Double>

  /// Four places (u, v), in units of half the width about the centre, and the pictures' gradients there in such units.
  private struct Slopes {
    let x, y, u, v: Four
  }

  /// The equations of some unknowns, of which each changes the frame by a number at every place.
  @inline(__always)
  private func equations<let unknowns: Int>(
    _ warped: WarpedPicture, _ changes: (Slopes) -> InlineArray<unknowns, Four>
  ) -> NormalEquations<unknowns> {
    let reference = agreement.reference
    var sums = PackedEquations<unknowns>()
    let (width, height) = (reference.size.width, reference.size.height)
    let unit = Double(max(width, height)) / 2
    let (cx, cy) = (Double(width - 1) / 2, Double(height - 1) / 2)
    // Differences of bytes to local standard deviations.
    let scale = 1.0 / 63
    reference.samples.withUnsafeBufferPointer { own in
      warped.picture.samples.withUnsafeBufferPointer { other in
        for y in Swift.stride(from: 1, to: height - 1, by: Self.stride) {
          let columns = warped.spans[y].clamped(to: 1..<max(width - 1, 1))
            .clamped(to: warped.spans[y - 1]).clamped(to: warped.spans[y + 1])
          let last = columns.upperBound - 2
          for first in Swift.stride(from: columns.lowerBound + 1, through: last, by: 4 * Self.stride) {
            let x = SIMD4(repeating: Int32(first)) &+ SIMD4(0, 1, 2, 3) &* Int32(Self.stride)
            // What fills up the last four counts nothing.
            let isThere = Four(x) .<= Double(last)
            let places = pointwiseMin(x, SIMD4(repeating: Int32(last))) &+ Int32(y &* width)
            func both(_ step: Int) -> SIMD4<Int32> { own.four(places, step) &+ other.four(places, step) }
            func slope(_ step: Int) -> Four { Four(both(step) &- both(-step)) * (scale / 4 * unit) }
            let difference = Four(other.four(places, 0) &- own.four(places, 0)) * scale
            let ratio = difference / Self.cutoff
            let share = 1 + ratio * ratio
            let weight = (1 / (share * share)).replacing(with: 0, where: .!isThere)
            let slopes = Slopes(
              x: slope(1), y: slope(width), u: (Four(x) - cx) / unit, v: Four(repeating: (Double(y) - cy) / unit))
            sums.add(changes(slopes), equals: difference, weight: weight)
          }
        }
      }
    }
    return sums.equations
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The samples `step` past four places.
  @inline(__always)
  fileprivate func four(_ places: SIMD4<Int32>, _ step: Int) -> SIMD4<Int32> {
    func sample(_ place: Int32) -> Int32 { Int32(self[Int(place) &+ step]) }
    return SIMD4(sample(places[0]), sample(places[1]), sample(places[2]), sample(places[3]))
  }
}
