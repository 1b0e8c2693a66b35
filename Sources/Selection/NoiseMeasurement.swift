import Frames
import Warping

/// Measures the noise of full-size samples on blocks spread over the reference: how far the frames lie from their
/// median, by the median's value. Half of the samples may be anything else.
/// - Parameter layers: at most a few dozen, for speed.
/// - Returns: one per plane.
func measureNoise(_ layers: [Layer], size: Size, threads: Int) async throws -> [NoiseLevel] {
  let frame = layers[0].frame
  defer { for layer in layers { layer.frame.discardResidentSamples() } }
  return try await mapIndices(count: frame.planes.count, threads: threads) { plane in
    var histogram = DeviationHistogram(bits: frame.bits)
    let grid = PlaneGrid(scaleX: frame.grids[plane].scaleX, scaleY: frame.grids[plane].scaleY)
    for block in blocks(of: grid.planeSize(for: size)) {
      if frame.bits > 8 {
        histogram.add(layers, plane, grid, block, UInt16.self)
      } else {
        histogram.add(layers, plane, grid, block, UInt8.self)
      }
    }
    return histogram.level(frames: layers.count)
  }
}

private func blocks(of size: Size) -> [Region] {
  let (columns, rows, side) = (8, 6, 24)
  guard size.width >= columns * side && size.height >= rows * side else { return [size.bounds] }
  return (0..<columns * rows).map { k in
    Region(
      x: (size.width - side) * (k % columns) / (columns - 1), y: (size.height - side) * (k / columns) / (rows - 1),
      width: side, height: side)
  }
}

/// Deviations from the median by the median's value, in 8 bits of depth each, and by its gradient: where it is steep,
/// frames differ because they are registered a little off.
private struct DeviationHistogram {
  private static let bins = 8
  private let bits: Int
  /// Upper ends of the bins of gradients in levels of 8 bits; the last is open.
  private static let gradientEnds = [2, 4, 6, 9, 13, 20, 30]
  private static let gradientBins = gradientEnds.count + 1
  /// `counts[(bin * gradientBins + gradient) * levels + deviation]`; deviations in quarters of a level of 8 bits.
  private var counts: [Int]
  private static let levels = 1024

  init(bits: Int) {
    self.bits = bits
    counts = Array(repeating: 0, count: Self.bins * Self.gradientBins * Self.levels)
  }

  mutating func add<S: Sample>(
    _ layers: [Layer], _ plane: Int, _ grid: PlaneGrid, _ region: Region, _ type: S.Type
  ) {
    var samples = [S](repeating: 0, count: layers.count * region.area)
    var covered = [Bool](repeating: false, count: samples.count)
    for (k, layer) in layers.enumerated() {
      samples.withUnsafeMutableBytes { bytes in
        warpPlane(
          layer.frame.planes[plane], on: layer.frame.grids[plane], alignment: layer.alignment,
          levels: layer.alignment.photometric.channels[plane], grid: grid, region: region,
          into: bytes.baseAddress! + k * region.area * MemoryLayout<S>.stride,
          stride: region.width * MemoryLayout<S>.stride
        ) { row, columns in
          for x in columns { covered[k * region.area + row * region.width + Int(x)] = true }
        }
      }
    }
    var shown: [Int] = []
    // Nil where fewer than two frames can be compared.
    let medians: [Int?] = (0..<region.area).map { p in
      shown.removeAll(keepingCapacity: true)
      for k in 0..<layers.count where covered[k * region.area + p] { shown.append(Int(samples[k * region.area + p])) }
      guard shown.count > 1 else { return nil }
      shown.sort()
      return (shown[(shown.count - 1) / 2] + shown[shown.count / 2] + 1) / 2
    }
    for y in 1..<region.height - 1 {
      for x in 1..<region.width - 1 {
        let p = y * region.width + x
        guard let median = medians[p], let left = medians[p - 1], let right = medians[p + 1],
          let above = medians[p - region.width], let below = medians[p + region.width]
        else { continue }
        let gradient = max(abs(right - left), abs(below - above)) >> (bits - 8)
        let steepness = Self.gradientEnds.firstIndex { gradient < $0 } ?? Self.gradientEnds.count
        let bin = ((median >> (bits - 3)) * Self.gradientBins + steepness) * Self.levels
        for k in 0..<layers.count where covered[k * region.area + p] {
          let deviation = (abs(Int(samples[k * region.area + p]) - median) << 2) >> (bits - 8)
          counts[bin + min(deviation, Self.levels - 1)] += 1
        }
      }
    }
  }

  /// The deviations in the flatter half of the samples of a bin.
  private func flatter(_ bin: Int) -> ArraySlice<Int> {
    let bins = (0..<Self.gradientBins).map { gradient in
      let start = (bin * Self.gradientBins + gradient) * Self.levels
      return counts[start..<start + Self.levels]
    }
    let half = bins.reduce(0) { $0 + $1.reduce(0, +) } / 10
    var sum = Array(repeating: 0, count: Self.levels)
    var total = 0
    for more in bins where total < half {
      for (level, count) in more.enumerated() { sum[level] += count }
      total += more.reduce(0, +)
    }
    return sum[...]
  }

  /// A line through the variances of the bins.
  func level(frames: Int) -> NoiseLevel {
    let unit = Double(1 << (bits - 8))
    // A frame deviates less from a median to which it contributed itself.
    let correction = frames > 2 ? Double(frames) / Double(frames - 1) : 2
    var fit = LineFit()
    for bin in 0..<Self.bins {
      let counts = flatter(bin)
      let total = counts.reduce(0, +)
      guard total >= 200 else { continue }
      let sigma = median(counts, total) / 0.6745 / 4 * unit
      let value = (Double(bin) + 0.5) * 32 * unit
      let variance = sigma * sigma * correction
      // A measured variance is as uncertain as it is large; and what moves makes it too large.
      let certainty = 1 / (variance + unit * unit)
      fit.add(x: value, y: variance, weight: Double(total).squareRoot() * certainty * certainty)
    }
    // Rounding alone is a quarter of a level; and no sample is so sure that half a level would matter.
    let floor = 0.25 * unit * unit
    let whitest = 256 * unit
    let (dark, bright) = (max(fit.value(at: 0), floor), max(fit.value(at: whitest), floor))
    return NoiseLevel(constant: dark, slope: (bright - dark) / whitest)
  }

  /// The median of a histogram, between bins.
  private func median(_ counts: ArraySlice<Int>, _ total: Int) -> Double {
    let target = Double(total) / 2
    var below = 0.0
    for (level, count) in counts.enumerated() {
      if below + Double(count) >= target {
        let part = (target - below) / Double(count)
        // At 8 bits only every fourth bin is used, and each stands for values that round to it.
        let width = bits == 8 ? 4.0 : 1.0
        return level == 0 ? part * width / 2 : Double(level) + (part - 0.5) * width
      }
      below += Double(count)
    }
    return 0
  }
}

/// A weighted straight line through points.
private struct LineFit {
  private var (w, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)

  mutating func add(x: Double, y: Double, weight: Double) {
    self.w += weight
    self.x += weight * x
    self.y += weight * y
    xx += weight * x * x
    xy += weight * x * y
  }

  func value(at position: Double) -> Double {
    guard w > 0 else { return 0 }
    let spread = w * xx - x * x
    let slope = spread > 1e-9 * w * xx ? (w * xy - x * y) / spread : 0
    return (y - slope * x) / w + slope * position
  }
}
