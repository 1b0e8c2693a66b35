import Frames
import Resampling

/// Reads a plane as numbers at the places of another grid, by `GridTaps`. Beyond the border the nearest sample counts.
struct GridResampler {
  private let plane: Plane
  private let scale: CodeScale
  private let columns: GridTaps
  private let rows: GridTaps

  init(_ plane: Plane, grid: PlaneGrid, scale: CodeScale, to target: PlaneGrid, pictureSize: Size) {
    self.plane = plane
    self.scale = scale
    let size = target.planeSize(for: pictureSize)
    columns = .columns(of: plane, on: grid, to: target, count: size.width)
    rows = .rows(of: plane, on: grid, to: target, count: size.height)
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
