import CShimKernels
package import Frames

/// One plane of a frame as the reference's camera would have taken it: registered, and its levels matched.
///
/// A sample is covered when its source lies on the frame, of which every pixel is a square. The result depends neither on the
/// processor nor on how a plane is divided into regions. About 1.4 ns a sample of 8 bits and 3 of 16 (x86-64-v3).
///
/// A class, since every tile asks for every plane of every frame: tasks that all counted references to a frame's dozen of
/// arrays would wait for each other.
package final class PlaneWarp: Sendable {
  private let plane: Plane
  private let sourceGrid: PlaneGrid
  private let grid: PlaneGrid
  /// Nil without an inverse: then nothing is covered.
  private let toFrame: Homography.KernelMatrix?
  private let mesh: ResidualMesh?
  private let levels: PhotometricMatch.Channel

  /// - Parameters:
  ///   - plane: the frame's samples.
  ///   - sourceGrid: where they sit among the frame's luma pixels.
  ///   - grid: where the destination's samples sit among the reference's luma pixels.
  ///   - alignment: how the frame lies on the reference.
  ///   - levels: what is done to the samples.
  package init(
    of plane: Plane, on sourceGrid: PlaneGrid, to grid: PlaneGrid, alignment: Alignment,
    levels: PhotometricMatch.Channel
  ) {
    (self.plane, self.sourceGrid, self.grid) = (plane, sourceGrid, grid)
    toFrame = alignment.homography.inverse?.kernelMatrix
    (mesh, self.levels) = (alignment.mesh, levels)
  }

  /// A plane of a registered frame.
  package convenience init(of registered: RegisteredFrame, plane: Int, to grid: PlaneGrid) {
    self.init(
      of: registered.frame.planes[plane], on: registered.frame.grids[plane], to: grid, alignment: registered.alignment,
      levels: registered.alignment.photometric.channels[plane])
  }

  /// Renders a part. The samples of `target` that no covered column names are unspecified.
  /// - Parameters:
  ///   - region: of the destination plane, in its samples; x and y are not negative.
  ///   - target: where the region's first sample goes, of the plane's sample type.
  ///   - stride: bytes from one row of `target` to the next.
  ///   - covered: is told for each row, counted from the region's top, which columns, counted from its left, the
  ///     frame covers.
  package func render(
    _ region: Region, into target: UnsafeMutableRawPointer, stride: Int,
    covered: (_ row: Int, _ columns: Range<Int32>) -> Void
  ) {
    guard !region.isEmpty else { return }
    guard let toFrame else {
      for row in 0..<region.height { covered(row, 0..<0) }
      return
    }
    withUnsafeTemporaryAllocation(of: cs_warp_span.self, capacity: region.height) { spans in
      plane.withKernelPlane { source in
        var warp = cs_warp()
        warp.source = source
        warp.source_grid = cs_warp_grid(sourceGrid)
        warp.destination_grid = cs_warp_grid(grid)
        warp.to_source = toFrame
        warp.gain = levels.gain
        warp.offset = levels.offset
        warp.pivot = levels.pivot
        withFields(&warp) { warp in
          _ = cs_warp_tile(&warp, cs_warp_rect(region), target, stride, spans.baseAddress)
        }
      }
      let left = Int32(region.x)
      for (row, span) in spans.enumerated() { covered(row, span.start - left..<span.end - left) }
    }
  }

  /// Sets the fields, which are valid while `body` runs.
  private func withFields(_ warp: inout cs_warp, _ body: (inout cs_warp) -> Void) {
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
