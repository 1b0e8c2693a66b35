/// A gain and an offset, by which the samples of a frame become the reference's.
struct PhotometricLine {
  var gain: Double
  var offset: Double

  /// What is believed before anything is measured.
  struct Prior {
    var gain: Double
    /// Every pair speaks for that gain as much as for its own if they differ by so much from each other.
    var contrast: Double
    var offsetSpread: Double
  }

  /// The line on which most pairs lie, sought from this one on; this one where they are too few.
  ///
  /// Iteratively re-weighted orthogonal regression (Deming) with Tukey's bisquare: both frames are noisy, and least squares
  /// of one of them take the other's noise for contrast that the first lacks.
  /// - Parameter range: levels that a sample may have.
  func fitted(to pairs: [Pair], range: Double, prior: Prior) -> PhotometricLine {
    var line = self
    var sigma = range / 24
    for _ in 0..<12 {
      let errors = pairs.map { abs($0.reference - line.gain * $0.frame - line.offset) }
      let near = errors.below(4 * sigma)
      guard near.count >= 12 else { return self }
      sigma = max(min(sigma, 1.4826 * median(near)), range / 1024)
      let cutoff = bisquareReach * sigma
      var (one, x1, y1, xx, xy, yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      for (pair, error) in zip(pairs, errors) where error < cutoff {
        let w = bisquare(pair.weight, error: error, cutoff: cutoff)
        one += w
        x1 += w * pair.frame
        y1 += w * pair.reference
        xx += w * pair.frame * pair.frame
        xy += w * pair.frame * pair.reference
        yy += w * pair.reference * pair.reference
      }
      let believed = one * prior.contrast * prior.contrast
      one += 1 / (prior.offsetSpread * prior.offsetSpread)
      // About their mean, as far as an offset is believed; noise grows with the gain.
      let ratio = prior.gain * prior.gain
      let across = xx - x1 * x1 / one + believed
      let both = xy - x1 * y1 / one + believed * prior.gain
      let down = yy - y1 * y1 / one + believed * ratio
      guard both > 1e-9 * across else { return line }
      let excess = down - ratio * across
      let gain = (excess + (excess * excess + 4 * ratio * both * both).squareRoot()) / (2 * both)
      line = PhotometricLine(gain: gain, offset: (y1 - gain * x1) / one)
    }
    return line
  }
}
