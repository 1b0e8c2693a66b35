import Codecs
import Foundation
import Frames
import Resampling
import Stacking
import SystemPackage

/// Seconds on one thread to warp all planes of a frame, tile by tile: `BITS.homography` with a hand's tremble alone,
/// `BITS.mesh` with a residual mesh and a field of gains as well.
func warpSeconds(of path: String) throws -> [String: Double] {
  let bytes = try decode(readFile(FilePath(path)), name: path)
  let words = try bytes.converted(to: PixelLayout(encoding: bytes.encoding, bits: 16, grids: bytes.grids))
  var seconds: [String: Double] = [:]
  for frame in [bytes, words] {
    var alignment = handheld(planes: frame.planes.count)
    seconds["\(frame.bits).homography"] = measure {
      warpAll(RegisteredFrame(index: 0, frame: frame, alignment: alignment))
    }
    alignment.mesh = mesh(of: frame.size)
    let gains = gains(of: frame.size)
    for plane in alignment.photometric.channels.indices { alignment.photometric.channels[plane].gains = gains }
    seconds["\(frame.bits).mesh"] = measure { warpAll(RegisteredFrame(index: 0, frame: frame, alignment: alignment)) }
  }
  return seconds
}

/// Every tile of every plane, into memory that stays in the cache, as the pipeline does.
private func warpAll(_ registered: RegisteredFrame) {
  let frame = registered.frame
  let bytesPerSample = frame.bits > 8 ? 2 : 1
  let scratch = UnsafeMutableRawPointer.allocate(
    byteCount: TileLayout.frameStride * bytesPerSample, alignment: 64)
  defer { scratch.deallocate() }
  let grids = frame.grids.map { PlaneGrid(scaleX: $0.scaleX, scaleY: $0.scaleY) }
  let warps = grids.enumerated().map { PlaneWarp(of: registered, plane: $0, to: $1) }
  for tile in TileLayout.tiles(size: frame.size) {
    for (warp, grid) in zip(warps, grids) {
      let region = grid.tile(tile)
      warp.render(region, into: scratch, stride: region.width * bytesPerSample) { _, _ in }
    }
  }
}

/// A turn by 0.35 degrees, a shift and a little perspective, with a change of exposure.
private func handheld(planes: Int) -> Alignment {
  var photometric = PhotometricMatch.identity(planes: planes)
  photometric.channels[0].gain = 1.03
  return Alignment(
    homography: Homography(1.0007, -0.0061, 17.3, 0.0061, 1.0007, -12.6, 4e-7, -3e-7),
    photometric: photometric)
}

private func mesh(of size: Size) -> ResidualMesh {
  let (columns, rows) = (24, 18)
  let nodes = (0..<columns * rows).map { (x: Float($0 % columns), y: Float($0 / columns)) }
  return ResidualMesh(
    columns: columns, rows: rows, size: size, dx: nodes.map { 0.8 * sin(0.5 * $0.x + 0.3 * $0.y) },
    dy: nodes.map { 0.6 * cos(0.4 * $0.x - 0.6 * $0.y) })
}

private func gains(of size: Size) -> SmoothField {
  let (columns, rows) = (8, 6)
  return SmoothField(
    columns: columns, rows: rows, size: size,
    values: (0..<columns * rows).map { 1 + 0.02 * sin(Float($0 % columns) + 0.5 * Float($0 / columns)) })
}
