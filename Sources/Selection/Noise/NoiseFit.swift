import Frames

/// Fits the noise of a sensor to measured variances: a straight line over the samples' values.
struct NoiseFit {
  private var (w, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
  /// A frame deviates less from a median to which it contributed itself; by this factor in variance.
  private let correction: Double

  /// - Parameter frames: that the median was taken of.
  init(frames: Int) {
    correction =
      frames < 2 ? 2 : frames - 2 < Self.corrections.count ? Self.corrections[frames - 2] : 1 + 2.6 / Double(frames)
  }

  /// - Parameter correction: of variances that deviations from a median tell.
  init(correction: Double) { self.correction = correction }

  /// What `Deviations.standardDeviation` falls short by in variance where noise is normal, of two frames and more: out of three
  /// million simulated samples each. Of an odd number one is the median and does not deviate at all.
  private static let corrections = [
    1.997, 4.614, 1.927, 1.893, 1.632, 1.496, 1.434, 1.341, 1.318, 1.259, 1.248, 1.209, 1.202, 1.175, 1.171, 1.151,
    1.147,
    1.132, 1.129, 1.118, 1.116, 1.106, 1.105,
  ]

  /// The variance of samples, in squares of a unit.
  /// - Parameters:
  ///   - deviations: from the median. Where most frames show people they say nothing of noise.
  ///   - differences: between two frames. People differ by anything, so that however few pairs show the same, their
  ///     noise is a peak.
  ///   - unit: of a level.
  func variance(
    _ deviations: DeviationHistogram.Deviations, _ differences: DeviationHistogram.Deviations, unit: Double = 1
  ) -> Double {
    let deviation = deviations.standardDeviation * unit
    let usual = deviation * deviation * correction
    guard differences.isWorthwhile, let peak = differences.peak else { return usual }
    let quiet = peak * peak * unit * unit / 2
    return usual > Self.crowded * quiet ? quiet : usual
  }

  /// Variances this many times as large as what two frames tell are people's: one and a half times the deviation, which
  /// no camera's noise reaches, whatever the shape of its distribution.
  private static let crowded = 2.25

  mutating func add(value: Double, variance: Double, weight: Double) {
    w += weight
    x += weight * value
    y += weight * variance
    xx += weight * value * value
    xy += weight * value * variance
  }

  /// The line, which is nowhere between black and `whitest` below `floor`.
  func level(floor: Double, whitest: Double) -> NoiseLevel {
    let (dark, bright) = (max(value(at: 0), floor), max(value(at: whitest), floor))
    return NoiseLevel(constant: dark, slope: (bright - dark) / whitest)
  }

  private func value(at position: Double) -> Double {
    guard w > 0 else { return 0 }
    let spread = w * xx - x * x
    let slope = spread > 1e-9 * w * xx ? (w * xy - x * y) / spread : 0
    return (y - slope * x) / w + slope * position
  }
}
