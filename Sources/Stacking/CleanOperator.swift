import CShimKernels
import Frames
import Medians

/// How one plane is made clean.
struct CleanRule: Sendable {
  /// Samples this far from a median still agree with it, by the median's upper 8 bits.
  let tolerance: [UInt16]
  /// The same about a single sample, which is as noisy as they are.
  let toleranceOfSample: [UInt16]

  /// Agrees with everything, so that the consensus is the mean.
  static func everything(bits: Int) -> CleanRule {
    let most = [UInt16](repeating: UInt16((1 << bits) - 1), count: 256)
    return CleanRule(tolerance: most, toleranceOfSample: most)
  }

  private init(tolerance: [UInt16], toleranceOfSample: [UInt16]) {
    self.tolerance = tolerance
    self.toleranceOfSample = toleranceOfSample
  }

  /// Deviations that noise alone hardly ever exceeds, in standard deviations.
  private static let agreement = 2.75

  /// Levels of 8 bits by which a detail frame may differ from the others without being known to show something
  /// else: where it does, they count all the same, and what it alone shows fades.
  private static let faintest = 4.0

  /// - Parameters:
  ///   - noise: of the plane; nil stands for an ordinary camera's.
  ///   - bits: of the samples.
  init(noise: NoiseLevel?, bits: Int) {
    let unit = Double(1 << (bits - 8))
    let noise = noise ?? NoiseLevel(constant: 4 * unit * unit, slope: 0)
    let maximum = Double(1 << bits) - 1
    func table(_ deviations: Double) -> [UInt16] {
      (0..<256).map { step in
        let deviation = noise.standardDeviation(at: (Double(step) + 0.5) * unit)
        return UInt16(min((deviations * deviation).rounded(), maximum))
      }
    }
    tolerance = table(Self.agreement)
    toleranceOfSample = table(Self.agreement * 2.0.squareRoot()).map { max($0, UInt16(Self.faintest * unit)) }
  }
}

/// For every sample of the tile the mean of those that agree with a leading value within the noise, among the frames
/// that may speak there: the noise of a mean, and a median's indifference to passers-by.
///
/// What leads is the sample of the frame whose details are kept, where one is known to show the same as the others,
/// otherwise the sources' median. A mean about the median would wash away what moves a little or is registered a little
/// off; about one frame it keeps the details of one photo.
struct CleanOperator<S: Sample> {
  let tile: WarpedTile
  let rule: CleanRule
  let bits: Int

  /// Writes one row of the tile, or some columns of it, as some frames see it.
  /// - Parameter output: where the first of the columns goes.
  func write(row y: Int, columns: Range<Int>, sources: SourceSet, to output: UnsafeMutablePointer<S>) {
    let detailed = sources.detailFrame?.rawValue
    tile.forEachSpan(row: y, columns: columns, among: sources.frames, as: S.self) { span in
      let part = span.columns
      let target = output + part.lowerBound - columns.lowerBound
      guard span.frames > 0 else { return target.update(repeating: S(tile.black), count: part.count) }
      if let leading = detailed, tile.covers(leading, row: y, columns: part) {
        target.update(from: tile.samples(leading, row: y, as: S.self) + part.lowerBound, count: part.count)
        takeConsensus(span, rule.toleranceOfSample, bits, target)
      } else {
        medianRow(span.frames, span.samples, count: part.count, into: target)
        // Of two samples the median is the mean already, and of one itself.
        if span.frames > 2 { takeConsensus(span, rule.tolerance, bits, target) }
      }
    }
  }
}

/// Replaces leading values by the weighted means of the samples that agree with them.
func takeConsensus<S: Sample>(
  _ span: WarpedTile.Span<S>, _ tolerance: [UInt16], _ bits: Int, _ leading: UnsafeMutablePointer<S>
) {
  let (samples, leading) = (UnsafeRawPointer(span.samples), UnsafeMutableRawPointer(leading))
  let (frames, count, weights) = (Int32(span.frames), Int32(span.columns.count), span.weights.baseAddress)
  if bits > 8 {
    cs_consensus_words(
      samples.assumingMemoryBound(to: UInt16.self), TileLayout.frameStride, frames, weights, count, Int32(bits),
      tolerance, leading.assumingMemoryBound(to: UInt16.self))
  } else {
    cs_consensus_bytes(
      samples.assumingMemoryBound(to: UInt8.self), TileLayout.frameStride, frames, weights, count, tolerance,
      leading.assumingMemoryBound(to: UInt8.self))
  }
}
