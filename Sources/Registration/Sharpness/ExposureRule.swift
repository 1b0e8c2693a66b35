package import Frames

/// Which frames of a burst are exposed so that they can be used.
package struct ExposureRule: Sendable, Hashable {
  /// The share of a picture that may be white, if it is brighter than the reference.
  package var clipped = 0.6
  /// The share of a picture that may be clipped in any colour, if it is much brighter than the reference: little is left by
  /// which their light could be matched.
  package var clippedColours = 0.75
  /// What a frame's brightness may be multiplied by: noise and rounding are multiplied as well.
  package var gain = 6.0
  /// How many times as noisy as the burst's median a frame may be, once the exposures are matched.
  package var noise = 8.0
  /// Frames stay when fewer than this many would be left.
  package var leastFrames = 3

  package init() {}

  /// Measures the noise of accepted frames, and rejects those that are white or dark nearly all over, or mostly noise;
  /// never the reference.
  /// - Parameters:
  ///   - burst: the same frames, measured; their photometric match is known.
  ///   - threads: threads that may run at once; the result does not depend on it.
  package func apply(
    to outcomes: [FrameOutcome<Alignment>], of burst: MeasuredBurst, threads: Int = 1
  ) -> [FrameOutcome<Alignment>] {
    let reference = burst.frames[burst.reference]
    let measured = mapIndicesInPlace(count: outcomes.count, threads: threads) { i in
      let outcome = outcomes[i]
      guard i != burst.reference, outcome.isAccepted, let laplacian = burst.laplacians[i] else { return outcome }
      return outcome.with { $0.noise = relativeNoise(laplacian, reference) }
    }
    let accepted = measured.compactMap(\.value)
    let usual = accepted.isEmpty ? 1 : median(accepted.map(\.noise))
    let result = zip(measured.indices, measured).map { i, outcome in
      guard i != burst.reference, let alignment = outcome.value,
        let reason = rejection(of: alignment, burst.frames[i], on: reference, usualNoise: usual)
      else { return outcome }
      return outcome.rejected(reason)
    }
    return result.count(where: \.isAccepted) >= min(leastFrames, accepted.count) ? result : measured
  }

  /// A frame that is white nearly all over shows too little when others show something there: so much more of it is white.
  func isLost(_ white: Double, least: Double) -> Bool { white > max(clipped, least + Self.whiter) }

  private static let whiter = 0.2
  /// A frame is much brighter than the reference whose brightness is multiplied by less than this.
  private static let muchBrighter = 0.8

  /// Cells that are flat in the reference, of all: what differs there is noise.
  private static let flat = 0.25
  /// The variance of the Laplacian of a picture that is rounded and else without noise, in levels squared.
  private static let rounding = 6.0

  /// The standard deviation of a frame's noise as a multiple of the reference's, where that is flat; 1 where the two
  /// share nothing that could tell.
  private func relativeNoise(_ frame: ComparableLaplacian, _ reference: FrameDescription) -> Double {
    let area = CommonArea(
      reference: reference.size, frames: [(frame.laplacian.frameSize, frame.homography)])
    let own = reference.laplacian.variances(over: area, homography: .identity)
    let other = frame.laplacian.variances(over: area, homography: frame.homography)
    let factor = frame.gain * frame.scaling
    let cells = own.indices.compactMap { cell -> (own: Double, other: Double)? in
      guard let a = own[cell], let b = other[cell] else { return nil }
      return (a + Self.rounding, (b + Self.rounding) * factor * factor)
    }
    let flattest = cells.sorted { $0.own < $1.own }.prefix(Int(Self.flat * Double(cells.count)))
    guard flattest.count >= 8 else { return 1 }
    return (median(flattest.map(\.other)) / median(flattest.map(\.own))).squareRoot()
  }

  private func rejection(
    of alignment: Alignment, _ frame: FrameDescription, on reference: FrameDescription, usualNoise: Double
  ) -> Rejection? {
    let white = frame.laplacian.clippedShare
    // Where next to nothing is left that is not white, the match of brightness may be anything.
    let brightness = alignment.photometric.brightness
    if white > clipped, brightness < 1 || isLost(white, least: reference.laplacian.clippedShare) {
      return .overexposed(share: white, limit: clipped)
    }
    let clippedShare = alignment.photometric.clippedShare
    if clippedShare > clippedColours, brightness < Self.muchBrighter {
      return .overexposed(share: clippedShare, limit: clippedColours)
    }
    if brightness > gain { return .underexposed(factor: brightness, limit: gain) }
    let noisiness = alignment.noise / usualNoise
    return noisiness > noise ? .noisy(factor: noisiness, limit: noise) : nil
  }
}
