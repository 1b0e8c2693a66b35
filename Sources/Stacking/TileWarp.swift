import Frames
import Resampling

/// Renders a part of one plane of a registered frame as the reference's camera would have taken it; see `warpPlane`.
func warpTile(
  _ registered: RegisteredFrame, plane: Int, grid: PlaneGrid, region: Region, into target: UnsafeMutableRawPointer,
  stride: Int,
  covered: (_ row: Int, _ columns: Range<Int32>) -> Void
) {
  warpPlane(
    registered.frame.planes[plane], on: registered.frame.grids[plane], alignment: registered.alignment,
    levels: registered.alignment.photometric.channels[plane], grid: grid, region: region, into: target, stride: stride,
    covered: covered)
}
