import CShimKernels
package import Frames

extension Plane {
  /// The plane's bytes at other places, rounded; beyond the border the nearest sample counts.
  /// - Throws: `AllocationError`.
  package func resampled(columns: GridTaps, rows: GridTaps) throws(AllocationError) -> Plane {
    precondition(bits == 8)
    let builder = try PlaneBuilder(width: columns.count, height: rows.count, bits: 8)
    var line = [Float](repeating: 0, count: width + 4)
    withKernelPlane { plane in
      withUnsafePointer(to: plane) { plane in
        KernelParts(columns, within: width).withUnsafeParts { columns in
          KernelParts(rows, within: height).withUnsafeParts { rows in
            for y in 0..<builder.height {
              cs_average_row(plane, columns, rows, Int32(y), &line, builder.row(y, as: UInt8.self).baseAddress)
            }
          }
        }
      }
    }
    return builder.finish()
  }
}
