package import Frames
import Medians

/// How a plate is cut into tiles, and how warped samples lie in a worker's scratch: frame by frame, rows without
/// gaps.
package enum TileLayout {
  /// Luma pixels of a tile along x and y, multiples of every chroma grid's scales: with 16 frames of bytes, a
  /// quarter of a small second-level cache.
  package static let width = 256
  package static let height = 32

  /// Samples from one frame to the next: a whole tile's, and a little.
  @inlinable @inline(__always) package static var frameStride: Int { MedianLayout.frameStride }

  /// Tiles that cover a plate of `size`, row by row, in luma pixels.
  package static func tiles(size: Size) -> [Region] {
    var tiles: [Region] = []
    for y in stride(from: 0, to: size.height, by: height) {
      for x in stride(from: 0, to: size.width, by: width) {
        tiles.append(
          Region(x: x, y: y, width: min(width, size.width - x), height: min(height, size.height - y)))
      }
    }
    return tiles
  }
}
