import CShimKernels
import Frames

/// What may differ in a plane of the small pictures although nothing moved: the sensor's noise, and what misregistration
/// makes of edges. The variance is constant + slope * brightness + (shift * gradient)^2, in levels.
struct ComparedNoise: Sendable, Hashable {
  var constant: Float = 1
  var slope: Float = 0
  /// Of the pixels of residual misregistration that `shift` stands for.
  var squaredShift: Float = 0

  @inline(__always)
  func variance(brightness: Float, gradient: Float) -> Float {
    constant + slope * brightness + squaredShift * gradient * gradient
  }

  var kernelNoise: cs_seen_noise { cs_seen_noise(constant: constant, slope: slope, squared_shift: squaredShift) }
}

/// Measures the noise that the candidates themselves show: how far frames lie from their median.
/// - Returns: three planes' noise; planes that there are not have the default.
/// - Throws: `CancellationError`.
func measureNoise(of candidates: Candidates, threads: Int) async throws -> [ComparedNoise] {
  let strip = 64
  let parts = (candidates.size.height + strip - 1) / strip
  let counted = try await mapIndices(count: parts, threads: threads) { part in
    countDeviations(candidates, rows: part * strip..<min((part + 1) * strip, candidates.size.height))
  }
  return (0..<3).map { plane in
    guard plane < candidates.planeCount else { return ComparedNoise() }
    var whole = counted[0][plane]
    for part in counted.dropFirst() { whole.add(part[plane]) }
    return fit(whole, frames: candidates.frameCount, isChroma: candidates.hasChroma && plane > 0)
  }
}

/// Upper ends of the bins of gradients, and what gradients they stand for.
private let gradientEnds = [4, 8, 14, 22, 34, 50, 80]
private let gradientCentres = [2.0, 6, 11, 18, 28, 42, 65, 110]
/// Bins whose gradients are too low for misregistration to matter.
private let flatBins = 2
/// Differences below this cannot be seen, however quiet the sensor: standard deviations in levels.
private let lumaFloor = 1.6
private let chromaFloor = 1.0
/// Pixels of misregistration that are always allowed for.
private let lumaShift = 0.06
private let chromaShift = 0.03

/// One per plane; every other row and column shows as much.
private func countDeviations(_ candidates: Candidates, rows: Range<Int>) -> [NoiseHistograms] {
  let (median, frames) = (candidates.list[candidates.median], Array(candidates.frames))
  let empty = DeviationHistogram(gradientEnds: gradientEnds, levels: 256, step: 1)
  let binOfGradient = (0..<256).map { empty.gradientBin($0) }
  var bins = [Int](repeating: 0, count: candidates.size.width)
  var result = Array(repeating: NoiseHistograms(empty), count: candidates.planeCount)
  for y in rows where y.isMultiple(of: 2) {
    median.planes[0].withUnsafeRow(y, as: UInt8.self) { brightness in
      median.gradient.withUnsafeRow(y, as: UInt8.self) { gradient in
        for x in stride(from: 0, to: bins.count, by: 2) {
          bins[x] = empty.start(value: Int(brightness[x] >> 5), gradient: binOfGradient[Int(gradient[x])])
        }
      }
    }
    for plane in result.indices {
      median.planes[plane].withUnsafeRow(y, as: UInt8.self) { middle in
        result[plane].deviations.withUnsafeCounts { counts in
          for frame in frames {
            let columns = frame.coverage[y]
            let first = Int(columns.lowerBound + (columns.lowerBound & 1))
            frame.planes[plane].withUnsafeRow(y, as: UInt8.self) { row in
              for x in stride(from: first, to: Int(columns.upperBound), by: 2) {
                counts[bins[x] + abs(Int(row[x]) - Int(middle[x]))] += 1
              }
            }
          }
        }
      }
      result[plane].differences.withUnsafeCounts { counts in
        for (first, second) in NoiseHistograms.pairs(of: frames.count) {
          let columns = frames[first].coverage[y].clamped(to: frames[second].coverage[y])
          let start = Int(columns.lowerBound + (columns.lowerBound & 1))
          frames[first].planes[plane].withUnsafeRow(y, as: UInt8.self) { one in
            frames[second].planes[plane].withUnsafeRow(y, as: UInt8.self) { other in
              for x in stride(from: start, to: Int(columns.upperBound), by: 2) {
                counts[bins[x] + abs(Int(one[x]) - Int(other[x]))] += 1
              }
            }
          }
        }
      }
    }
  }
  return result
}

/// Bins of brightness with this many times the variance of the quietest hold hardly anything but people.
private let loudest = 25.0

private func fit(_ histograms: NoiseHistograms, frames: Int, isChroma: Bool) -> ComparedNoise {
  // Smaller than it is, of few frames: what is told from noise was weighed with this. With all of it, 54 bursts of mostly few and
  // noisy frames showed a seventh more of mangled people, and 47 crowds as much as before.
  var line = NoiseFit(correction: frames > 2 ? Double(frames) / Double(frames - 1) : 2)
  let floor = isChroma ? chromaFloor : lumaFloor
  let bins = (0..<DeviationHistogram.valueBins).compactMap { value in
    histograms.variance(values: value..<value + 1, gradients: 0..<flatBins, by: line).map {
      (value, $0.variance, $0.samples)
    }
  }
  let quietest = max(bins.lazy.map(\.1).min() ?? 0, floor * floor)
  for (value, variance, samples) in bins where variance <= loudest * quietest {
    line.add(value: Double(value * 32 + 16), variance: variance, weight: Double(samples).squareRoot())
  }
  let level = line.level(floor: floor * floor, whitest: 255)
  let usual = level.constant + level.slope * 255 / 2
  var (moved, steep) = (0.0, 0.0)
  for gradient in flatBins..<gradientCentres.count {
    let bins = histograms.variance(
      values: 0..<DeviationHistogram.valueBins, gradients: gradient..<gradient + 1, by: line)
    guard let (variance, samples) = bins else { continue }
    let (weight, centre) = (Double(samples).squareRoot(), gradientCentres[gradient])
    moved += weight * max(0, variance - usual).squareRoot() * centre
    steep += weight * centre * centre
  }
  let shift = max(steep > 0 ? moved / steep : 0, isChroma ? chromaShift : lumaShift)
  return ComparedNoise(
    constant: Float(level.constant), slope: Float(level.slope), squaredShift: Float(shift * shift))
}
