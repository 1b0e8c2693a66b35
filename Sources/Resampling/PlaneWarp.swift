import CShimKernels
package import Frames

/// Renders a part of one plane of a frame as the reference's camera would have taken it: registered, and its
/// levels matched.
///
/// A sample is covered when its source lies on the frame, of which every pixel is a square; the samples of
/// `target` that no covered column names are unspecified. The result depends neither on the processor nor on how
/// a plane is divided into regions. About 1.4 ns a sample of 8 bits and 3 of 16 (x86-64-v3).
/// - Parameters:
///   - plane: the frame's samples.
///   - sourceGrid: where they sit among the frame's luma pixels.
///   - alignment: how the frame lies on the reference; without an inverse of the homography nothing is covered.
///   - levels: what is done to the samples.
///   - grid: where the destination's samples sit among the reference's luma pixels.
///   - region: the part of the destination plane, in its samples; x and y are not negative.
///   - target: where the region's first sample goes, of the frame's sample type.
///   - stride: bytes from one row of `target` to the next.
///   - covered: is told for each row, counted from the region's top, which columns, counted from its left, the
///     frame covers.
package func warpPlane(
  _ plane: Plane, on sourceGrid: PlaneGrid, alignment: Alignment, levels: PhotometricMatch.Channel, grid: PlaneGrid,
  region: Region, into target: UnsafeMutableRawPointer, stride: Int,
  covered: (_ row: Int, _ columns: Range<Int32>) -> Void
) {
  guard !region.isEmpty else { return }
  guard let toFrame = alignment.homography.inverse else {
    for row in 0..<region.height { covered(row, 0..<0) }
    return
  }
  withUnsafeTemporaryAllocation(of: cs_warp_span.self, capacity: region.height) { spans in
    plane.withKernelPlane { source in
      var warp = cs_warp()
      warp.source = source
      warp.source_grid = cs_warp_grid(sourceGrid)
      warp.destination_grid = cs_warp_grid(grid)
      warp.to_source = toFrame.kernelMatrix
      warp.gain = levels.gain
      warp.offset = levels.offset
      warp.pivot = levels.pivot
      withFields(alignment.mesh, levels, &warp) { warp in
        _ = cs_warp_tile(&warp, cs_warp_rect(region), target, stride, spans.baseAddress)
      }
    }
    let left = Int32(region.x)
    for (row, span) in spans.enumerated() { covered(row, span.start - left..<span.end - left) }
  }
}

/// Sets the fields, which are valid while `body` runs.
private func withFields(
  _ mesh: ResidualMesh?, _ levels: PhotometricMatch.Channel, _ warp: inout cs_warp, _ body: (inout cs_warp) -> Void
) {
  (mesh?.dx).withKernelField { shiftX in
    (mesh?.dy).withKernelField { shiftY in
      levels.gains.withKernelField { gains in
        levels.offsets.withKernelField { offsets in
          (warp.shift_x, warp.shift_y) = (shiftX, shiftY)
          (warp.gains, warp.offsets) = (gains, offsets)
          body(&warp)
        }
      }
    }
  }
}

extension cs_warp_grid {
  init(_ grid: PlaneGrid) {
    self.init(
      scale_x: Double(grid.scaleX), scale_y: Double(grid.scaleY), offset_x: grid.offsetX, offset_y: grid.offsetY)
  }
}

extension cs_warp_rect {
  init(_ region: Region) {
    self.init(x: Int32(region.x), y: Int32(region.y), width: Int32(region.width), height: Int32(region.height))
  }
}
