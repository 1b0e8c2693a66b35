import Frames

/// Reads a plane as numbers at the places of another grid.
///
/// Along each axis: where samples are gained, between neighbours linearly (as libjpeg's "fancy upsampling",
/// which viewers show); where they only move, by cubic convolution (Keys 1981, a = -0.5), which keeps them
/// sharp; where they are lost, the mean of the samples that a target sample stands for. Beyond the border the
/// nearest sample counts.
struct GridResampler {
  private let plane: Plane
  private let scale: CodeScale
  private let columns: Taps
  private let rows: Taps

  init(_ plane: Plane, grid: PlaneGrid, scale: CodeScale, to target: PlaneGrid, pictureSize: Size) {
    self.plane = plane
    self.scale = scale
    let size = target.planeSize(for: pictureSize)
    columns = Taps(
      count: size.width, sourceCount: plane.width, scale: target.scaleX, offset: target.offsetX,
      sourceScale: grid.scaleX, sourceOffset: grid.offsetX)
    rows = Taps(
      count: size.height, sourceCount: plane.height, scale: target.scaleY, offset: target.offsetY,
      sourceScale: grid.scaleY, sourceOffset: grid.offsetY)
  }

  /// Row `y` of the target grid; `values` is as long as that grid is wide.
  func read(row y: Int, into values: inout [Float]) {
    if plane.bits > 8 { read(y, &values, UInt16.self) } else { read(y, &values, UInt8.self) }
  }

  /// The whole plane on the target grid.
  func plane(scale target: CodeScale, bits: Int, budget: MemoryBudget?) throws(AllocationError) -> Plane {
    let builder = try PlaneBuilder(width: columns.count, height: rows.count, bits: bits, budget: budget)
    var values = [Float](repeating: 0, count: columns.count)
    for y in 0..<rows.count {
      read(row: y, into: &values)
      target.write(values, to: builder, row: y)
    }
    return builder.finish()
  }

  private func read<S: Sample>(_ y: Int, _ values: inout [Float], _ type: S.Type) {
    let (zero, step) = (Float(scale.zero), Float(scale.step))
    if columns.isIdentity && rows.isIdentity {
      plane.withUnsafeRow(y, as: type) { row in
        values.withUnsafeMutableBufferPointer { values in
          for x in 0..<row.count { values[x] = (Float(row[x]) - zero) * step }
        }
      }
      return
    }
    // First down the columns at the source's width, then along the row.
    var blend = [Float](repeating: 0, count: plane.width)
    blend.withUnsafeMutableBufferPointer { blend in
      for tap in 0..<rows.width {
        let weight = rows.weights[y * rows.width + tap]
        guard weight != 0 else { continue }
        plane.withUnsafeRow(min(max(rows.first[y] + tap, 0), plane.height - 1), as: type) { row in
          for x in 0..<row.count { blend[x] += (Float(row[x]) - zero) * weight }
        }
      }
      values.withUnsafeMutableBufferPointer { values in
        for x in 0..<columns.count {
          var sum = Float(0)
          for tap in 0..<columns.width {
            sum +=
              blend[min(max(columns.first[x] + tap, 0), blend.count - 1)] * columns.weights[x * columns.width + tap]
          }
          values[x] = sum * step
        }
      }
    }
  }
}

/// The weights of one axis: target sample i is the sum over k of `weights[i * width + k]` times source sample
/// `first[i] + k`.
private struct Taps {
  let count: Int
  let width: Int
  var first: [Int]
  var weights: [Float]
  let isIdentity: Bool

  init(count: Int, sourceCount: Int, scale: Int, offset: Double, sourceScale: Int, sourceOffset: Double) {
    self.count = count
    isIdentity = scale == sourceScale && offset == sourceOffset && count == sourceCount
    let ratio = Double(scale) / Double(sourceScale)
    width = ratio > 1 ? Int(ratio.rounded(.up)) + 1 : ratio == 1 ? 4 : 2
    first = []
    weights = []
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
