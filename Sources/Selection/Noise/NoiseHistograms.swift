/// What tells the noise of a plane.
struct NoiseHistograms: Sendable {
  /// How far frames lie from their median.
  var deviations: DeviationHistogram
  /// How far frames lie from those taken half a burst later: few who stand in one stand in the other.
  var differences: DeviationHistogram

  /// Nothing yet, in bins for both.
  init(_ empty: DeviationHistogram) {
    deviations = empty
    differences = empty
  }

  /// Adds what another of the same bins counted.
  mutating func add(_ other: NoiseHistograms) {
    deviations.add(other.deviations)
    differences.add(other.differences)
  }

  /// The variance of samples in some bins, in squares of a unit, and how many samples tell it; nil where they are too few.
  func variance(
    values: Range<Int>, gradients: Range<Int>, by fit: NoiseFit, unit: Double = 1
  ) -> (variance: Double, samples: Int)? {
    let deviations = deviations.deviations(values: values, gradients: gradients)
    guard deviations.isWorthwhile else { return nil }
    let differences = differences.deviations(values: values, gradients: gradients)
    return (fit.variance(deviations, differences, unit: unit), deviations.total)
  }

  /// The two frames of each pair that is compared, of `frames` in the order in which they were taken.
  static func pairs(of frames: Int) -> Zip2Sequence<Range<Int>, Range<Int>> {
    zip(0..<frames, frames / 2..<frames)
  }
}
