import Frames
import Medians
import Resampling

/// Measures the noise of full-size samples on blocks spread over the reference: how far the frames lie from their
/// median and from each other, by the median's value. Most of the samples may be anything else.
/// - Parameter frames: at most a few dozen, for speed.
/// - Returns: one per plane.
/// - Throws: `CancellationError`.
func measureNoise(of frames: [RegisteredFrame], size: Size, threads: Int) async throws -> [NoiseLevel] {
  let frame = frames[0].frame
  defer { for registered in frames { registered.frame.discardResidentSamples() } }
  let grids = frame.grids.map { PlaneGrid(scaleX: $0.scaleX, scaleY: $0.scaleY) }
  let planes = grids.map { blocks(of: $0.planeSize(for: size)) }
  let parts = planes.indices.flatMap { plane in
    stride(from: 0, to: planes[plane].count, by: grain).map { first in
      (plane: plane, blocks: planes[plane][first..<min(first + grain, planes[plane].count)])
    }
  }
  let counted = try await mapIndices(count: parts.count, threads: threads) { part in
    let (plane, blocks) = parts[part]
    // Deviations in quarters of a level of 8 bits, of which at 8 bits only every fourth occurs.
    var histograms = NoiseHistograms(
      DeviationHistogram(
        gradientEnds: [2, 4, 6, 9, 13, 20, 30], levels: 1024, step: frame.bits == 8 ? 4 : 1))
    for block in blocks {
      if frame.bits > 8 {
        count(frames, plane, grids[plane], block, in: &histograms, UInt16.self)
      } else {
        count(frames, plane, grids[plane], block, in: &histograms, UInt8.self)
      }
    }
    return histograms
  }
  return try await mapIndices(count: planes.count, threads: threads) { plane in
    let own = zip(parts, counted).filter { $0.0.plane == plane }.map(\.1)
    var whole = own[0]
    for part in own.dropFirst() { whole.add(part) }
    return fit(whole, frames: frames.count, bits: frame.bits)
  }
}

/// Blocks that a task looks at.
private let grain = 8

/// Blocks that stand for a plane: a few dozen, spread over it.
func blocks(of size: Size) -> [Region] {
  let (columns, rows, side) = (8, 6, 24)
  guard size.width >= columns * side && size.height >= rows * side else { return [size.bounds] }
  return (0..<columns * rows).map { k in
    Region(
      x: (size.width - side) * (k % columns) / (columns - 1), y: (size.height - side) * (k / columns) / (rows - 1),
      width: side, height: side)
  }
}

extension RegisteredFrame {
  /// Writes what it shows of a region of the reference, row after row, and marks what of it that is.
  /// - Parameter start: where the region's first sample goes.
  func warp<S: Sample>(
    _ plane: Int, _ grid: PlaneGrid, _ region: Region, into samples: inout [S], covered: inout [Bool], at start: Int
  ) {
    samples.withUnsafeMutableBufferPointer { samples in
      PlaneWarp(of: self, plane: plane, to: grid).render(
        region, into: UnsafeMutableRawPointer(samples.baseAddress! + start),
        stride: region.width * MemoryLayout<S>.stride
      ) { row, columns in
        for x in columns { covered[start + row * region.width + Int(x)] = true }
      }
    }
  }
}

/// Counts the deviations in a region, a row at a time.
private func count<S: Sample>(
  _ frames: [RegisteredFrame], _ plane: Int, _ grid: PlaneGrid, _ region: Region,
  in histograms: inout NoiseHistograms,
  _ type: S.Type
) {
  // Gradients need neighbours on all sides.
  guard region.width > 2, region.height > 2 else { return }
  let bits = frames[0].frame.bits
  var samples = [S](repeating: 0, count: frames.count * region.area)
  var covered = [Bool](repeating: false, count: samples.count)
  for (k, registered) in frames.enumerated() {
    registered.warp(plane, grid, region, into: &samples, covered: &covered, at: k * region.area)
  }
  let medians = medians(of: samples, where: covered, frames: frames.count, area: region.area)
  for y in 1..<region.height - 1 {
    for x in 1..<region.width - 1 {
      let p = y * region.width + x
      guard let median = medians[p], let left = medians[p - 1], let right = medians[p + 1],
        let above = medians[p - region.width], let below = medians[p + region.width]
      else { continue }
      let gradient = max(abs(right - left), abs(below - above)) >> (bits - 8)
      let start = histograms.deviations.start(
        value: median >> (bits - 3), gradient: histograms.deviations.gradientBin(gradient))
      let largest = histograms.deviations.levels - 1
      func bin(_ deviation: Int) -> Int { start + min((abs(deviation) << 2) >> (bits - 8), largest) }
      histograms.deviations.withUnsafeCounts { counts in
        for k in stride(from: p, to: samples.count, by: region.area) where covered[k] {
          counts[bin(Int(samples[k]) - median)] += 1
        }
      }
      histograms.differences.withUnsafeCounts { counts in
        for (first, second) in NoiseHistograms.pairs(of: frames.count) {
          let (one, other) = (first * region.area + p, second * region.area + p)
          if covered[one] && covered[other] { counts[bin(Int(samples[one]) - Int(samples[other]))] += 1 }
        }
      }
    }
  }
}

/// The medians over the frames that cover each sample; nil where fewer than two can be compared.
private func medians<S: Sample>(of samples: [S], where covered: [Bool], frames: Int, area: Int) -> [Int?] {
  var shown = [S](repeating: 0, count: frames * MedianLayout.frameStride)
  var middle = [S](repeating: 0, count: 1)
  return (0..<area).map { p in
    var count = 0
    for k in 0..<frames where covered[k * area + p] {
      shown[count * MedianLayout.frameStride] = samples[k * area + p]
      count += 1
    }
    guard count > 1 else { return nil }
    medianRow(count, shown, count: 1, into: &middle)
    return Int(middle[0])
  }
}

/// A line through the variances of the bins.
private func fit(_ histograms: NoiseHistograms, frames: Int, bits: Int) -> NoiseLevel {
  let unit = Double(1 << (bits - 8))
  var line = NoiseFit(frames: frames)
  for value in 0..<DeviationHistogram.valueBins {
    let flattest = histograms.deviations.flattestBins(value: value, share: 0.1)
    let bins = histograms.variance(values: value..<value + 1, gradients: flattest, by: line, unit: unit / 4)
    guard let (variance, samples) = bins else { continue }
    // A measured variance is as uncertain as it is large; and what moves makes it too large.
    let certainty = 1 / (variance + unit * unit)
    line.add(
      value: (Double(value) + 0.5) * 32 * unit, variance: variance,
      weight: Double(samples).squareRoot() * certainty * certainty)
  }
  // Rounding alone is a quarter of a level; and no sample is so sure that half a level would matter.
  return line.level(floor: 0.25 * unit * unit, whitest: 256 * unit)
}
