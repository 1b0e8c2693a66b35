package import Frames

/// How samples of one grid become those of another along one axis: where samples are gained, between neighbours linearly
/// (as libjpeg's "fancy upsampling", which viewers show); where they only move, by cubic convolution (Keys 1981,
/// a = -0.5), which keeps them sharp; where they are lost, the mean of the samples that a target sample stands for.
///
/// Target sample i is the sum over k of `weights[i * width + k]` times source sample `first[i] + k`, which may lie beyond
/// the border.
package struct GridTaps: Sendable {
  /// Target samples.
  package let count: Int
  /// Taps of each.
  package let width: Int
  package private(set) var first: [Int] = []
  package private(set) var weights: [Float] = []
  /// Whether the samples stay where they are.
  package let isIdentity: Bool

  /// - Parameters:
  ///   - grid: where the plane's samples lie among the luma pixels.
  ///   - target: where the new ones do.
  ///   - count: of new columns.
  package static func columns(of plane: Plane, on grid: PlaneGrid, to target: PlaneGrid, count: Int) -> GridTaps {
    GridTaps(
      count: count, sourceCount: plane.width, scale: target.scaleX, offset: target.offsetX, sourceScale: grid.scaleX,
      sourceOffset: grid.offsetX)
  }

  /// The same down the rows.
  package static func rows(of plane: Plane, on grid: PlaneGrid, to target: PlaneGrid, count: Int) -> GridTaps {
    GridTaps(
      count: count, sourceCount: plane.height, scale: target.scaleY, offset: target.offsetY, sourceScale: grid.scaleY,
      sourceOffset: grid.offsetY)
  }

  /// The mean of each of `count` equal parts of a row of `extent` samples; no more than those.
  package static func areas(of extent: Int, count: Int) -> GridTaps { GridTaps(areas: count, of: extent) }

  /// The source sample of which a target sample has most; beyond the border the last one.
  package func nearest(to index: Int, within extent: Int) -> Int {
    let weights = weights[index * width..<(index + 1) * width]
    let most = weights.indices.max { weights[$0] < weights[$1] } ?? weights.startIndex
    return min(max(first[index] + most - weights.startIndex, 0), extent - 1)
  }

  private init(count: Int, sourceCount: Int, scale: Int, offset: Double, sourceScale: Int, sourceOffset: Double) {
    self.count = count
    isIdentity = scale == sourceScale && offset == sourceOffset && count == sourceCount
    let ratio = Double(scale) / Double(sourceScale)
    width = ratio > 1 ? Int(ratio.rounded(.up)) + 1 : ratio == 1 ? 4 : 2
    first.reserveCapacity(count)
    weights.reserveCapacity(count * width)
    for index in 0..<count {
      let position = (Double(scale * index) + offset - sourceOffset) / Double(sourceScale)
      if ratio > 1 {
        addMean(from: position - ratio / 2, to: position + ratio / 2)
      } else if ratio == 1 {
        addCubic(position)
      } else {
        let base = position.rounded(.down)
        first.append(Int(base))
        weights += [Float(1 - (position - base)), Float(position - base)]
      }
    }
  }

  private init(areas: Int, of extent: Int) {
    let length = Double(extent) / Double(areas)
    (count, width, isIdentity) = (areas, Int(length.rounded(.up)) + 1, areas == extent)
    first.reserveCapacity(count)
    weights.reserveCapacity(count * width)
    for index in 0..<count {
      addMean(from: Double(index) * length - 0.5, to: min(Double(index + 1) * length, Double(extent)) - 0.5)
    }
  }

  /// Source sample j covers j - 0.5 ... j + 0.5.
  private mutating func addMean(from low: Double, to high: Double) {
    let start = Int((low + 0.5).rounded(.down))
    first.append(start)
    for tap in 0..<width {
      let sample = Double(start + tap)
      let overlap = max(0, min(high, sample + 0.5) - max(low, sample - 0.5))
      weights.append(Float(overlap / (high - low)))
    }
  }

  private mutating func addCubic(_ position: Double) {
    let base = position.rounded(.down)
    let t = position - base
    first.append(Int(base) - 1)
    weights += [
      Float(((-0.5 * t + 1) * t - 0.5) * t), Float((1.5 * t - 2.5) * t * t + 1),
      Float(((-1.5 * t + 2) * t + 0.5) * t), Float((0.5 * t - 0.5) * t * t),
    ]
  }
}
