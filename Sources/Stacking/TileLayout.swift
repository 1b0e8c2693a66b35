import Frames

/// How warped samples lie in a worker's scratch: for each row of the tile the frames' rows one after another, at
/// a step that is a compile-time constant, so that the compiler can prove the loads of a sorting network apart
/// from its store.
enum TileLayout {
  /// Samples from one frame's row to the next frame's, and the largest width of a tile.
  static let frameStride = 512

  /// Rows of a tile: as many as keep the scratch of one plane within half of a usual second-level cache.
  static func height(frames: Int, bytesPerSample: Int) -> Int {
    let rows = 512 * 1024 / (frames * frameStride * bytesPerSample)
    return min(max(rows / 16 * 16, 16), 128)
  }

  /// Tiles that cover a plate of `size`, row by row, in luma pixels; every tile starts on a multiple of 16.
  static func tiles(size: Size, frames: Int, bytesPerSample: Int) -> [Region] {
    let rows = height(frames: frames, bytesPerSample: bytesPerSample)
    var tiles: [Region] = []
    for y in stride(from: 0, to: size.height, by: rows) {
      for x in stride(from: 0, to: size.width, by: frameStride) {
        tiles.append(
          Region(x: x, y: y, width: min(frameStride, size.width - x), height: min(rows, size.height - y)))
      }
    }
    return tiles
  }
}
