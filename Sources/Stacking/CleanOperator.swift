import CShimKernels
import Frames
import Medians

/// How one plane is made clean.
struct CleanRule: Sendable {
  /// By which samples agree with their median, by its upper 8 bits.
  let tolerance: [cs_tolerance]
  /// The same about a single sample, which is as noisy as they are.
  let toleranceOfSample: [cs_tolerance]

  /// What everything agrees with, so that the consensus is the mean.
  static func everything(bits: Int) -> [cs_tolerance] {
    Array(repeating: cs_tolerance(whole: UInt16((1 << bits) - 1), fade: 0), count: 256)
  }

  /// Standard deviations up to which samples agree wholly, and from which on they do not: where the light of photos differs
  /// about as much as their noise, a limit would leave blotches of one photo and of their mean.
  private static let agreement = (whole: 1.65, none: 3.3)

  /// Levels of 8 bits by which a detail frame may differ from the others without being known to show something
  /// else: where it does, they count all the same, and what it alone shows fades.
  private static let faintest = (whole: 2.4, none: 4.8)

  /// - Parameters:
  ///   - noise: of the plane; nil stands for an ordinary camera's.
  ///   - bits: of the samples.
  init(noise: NoiseLevel?, bits: Int) {
    let unit = Double(1 << (bits - 8))
    let noise = noise ?? NoiseLevel(constant: 4 * unit * unit, slope: 0)
    let maximum = Double(1 << bits) - 1
    func table(_ factor: Double, least: (whole: Double, none: Double) = (0, 0)) -> [cs_tolerance] {
      (0..<256).map { step in
        let deviation = factor * noise.standardDeviation(at: (Double(step) + 0.5) * unit)
        let whole = min(max(Self.agreement.whole * deviation, least.whole * unit).rounded(), maximum)
        let none = min(max(Self.agreement.none * deviation, least.none * unit).rounded(), maximum)
        return cs_tolerance(whole: UInt16(whole), fade: UInt16(min(none - whole, maximum - 1)))
      }
    }
    tolerance = table(1)
    toleranceOfSample = table(2.0.squareRoot(), least: Self.faintest)
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
  _ span: WarpedTile.Span<S>, _ tolerance: [cs_tolerance], _ bits: Int, _ leading: UnsafeMutablePointer<S>
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
