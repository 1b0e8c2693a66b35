import CShim
import Frames

/// How one plane is made clean.
struct CleanRule: Sendable {
  /// Samples this far from the median still agree with it, by the median's upper 8 bits.
  let tolerance: [UInt16]

  /// Agrees with everything, so that the consensus is the mean.
  static func everything(bits: Int) -> CleanRule {
    CleanRule(tolerance: Array(repeating: UInt16((1 << bits) - 1), count: 256))
  }

  private init(tolerance: [UInt16]) { self.tolerance = tolerance }

  /// Deviations that noise alone hardly ever exceeds, in standard deviations.
  private static let agreement = 3.0

  /// - Parameters:
  ///   - noise: of the plane; nil stands for an ordinary camera's.
  ///   - bits: of the samples.
  init(noise: NoiseLevel?, bits: Int) {
    let unit = Double(1 << (bits - 8))
    let noise = noise ?? NoiseLevel(constant: 4 * unit * unit, slope: 0)
    let maximum = Double(1 << bits) - 1
    tolerance = (0..<256).map { step in
      let deviation = noise.standardDeviation(at: (Double(step) + 0.5) * unit)
      return UInt16(min((Self.agreement * deviation).rounded(), maximum))
    }
  }
}

/// For every sample of the tile the mean of those that agree with their median within the noise, among the frames
/// that may speak there: the noise of a mean, and a median's indifference to passers-by.
/// - Parameters:
///   - parts: of a row, counted from the tile's top: columns, and who may speak there (nil: everybody).
///   - black: the sample for places that no frame covers.
func combineClean<S: Sample>(
  _ tile: WarpedTile, rule: CleanRule, parts: (Int) -> [(columns: Range<Int>, speakers: [Int]?)],
  into plane: PlaneBuilder, black: S
) {
  for y in 0..<tile.region.height {
    let row = plane.row(tile.region.y + y, as: S.self).baseAddress! + tile.region.x
    for part in parts(y) {
      tile.forEachSpan(row: y, columns: part.columns, among: part.speakers, as: S.self) { columns, frames, samples in
        let output = row + columns.lowerBound
        guard frames > 0 else { return output.update(repeating: black, count: columns.count) }
        medianRow(frames, samples, count: columns.count, into: output)
        // Of two samples the median is the mean already, and of one itself.
        if frames > 2 { takeConsensus(frames, samples, columns.count, rule, plane.bits, output) }
      }
    }
  }
}

/// Replaces the medians by the means of the samples that agree with them.
func takeConsensus<S: Sample>(
  _ frames: Int, _ samples: UnsafePointer<S>, _ count: Int, _ rule: CleanRule, _ bits: Int,
  _ medians: UnsafeMutablePointer<S>
) {
  let (samples, medians) = (UnsafeRawPointer(samples), UnsafeMutableRawPointer(medians))
  if bits > 8 {
    cs_consensus_words(
      samples.assumingMemoryBound(to: UInt16.self), TileLayout.frameStride, Int32(frames), Int32(count), Int32(bits),
      rule.tolerance, medians.assumingMemoryBound(to: UInt16.self))
  } else {
    cs_consensus_bytes(
      samples.assumingMemoryBound(to: UInt8.self), TileLayout.frameStride, Int32(frames), Int32(count),
      rule.tolerance, medians.assumingMemoryBound(to: UInt8.self))
  }
}

extension SelectionPlan {
  /// Where the speakers change along a row of a tile.
  /// - Parameters:
  ///   - row: of the plane, counted from the crop's top.
  ///   - columns: of the plane, counted from the crop's left; the result counts from their first.
  ///   - grid: where the plane's samples sit among the luma pixels.
  ///   - crop: the part of the reference that the plate shows.
  func parts(row: Int, columns: Range<Int>, grid: PlaneGrid, crop: Region) -> [(columns: Range<Int>, speakers: [Int]?)]
  {
    let y = row * grid.scaleY + crop.y
    var parts: [(columns: Range<Int>, speakers: [Int]?)] = []
    var start = columns.lowerBound
    while start < columns.upperBound {
      let chosen = choice[index(x: start * grid.scaleX + crop.x, y: y)]
      var end = start
      repeat {
        // The first column whose luma pixel lies in the next cell; beyond the last cell nothing changes.
        let next = ((end * grid.scaleX + crop.x) / cell + 1) * cell
        end = next >= self.columns * cell ? columns.upperBound : (next - crop.x + grid.scaleX - 1) / grid.scaleX
      } while end < columns.upperBound && choice[index(x: end * grid.scaleX + crop.x, y: y)] == chosen
      end = min(end, columns.upperBound)
      parts.append((start - columns.lowerBound..<end - columns.lowerBound, speakers[Int(chosen)]))
      start = end
    }
    return parts
  }
}
