import Frames
import Resampling

/// Renders a part of one plane of a layer as the reference's camera would have taken it; see `warpPlane`.
func warpTile(
  _ layer: RegisteredFrame, plane: Int, grid: PlaneGrid, region: Region, into target: UnsafeMutableRawPointer,
  stride: Int,
  covered: (_ row: Int, _ columns: Range<Int32>) -> Void
) {
  warpPlane(
    layer.frame.planes[plane], on: layer.frame.grids[plane], alignment: layer.alignment,
    levels: layer.alignment.photometric.channels[plane], grid: grid, region: region, into: target, stride: stride,
    covered: covered)
}
