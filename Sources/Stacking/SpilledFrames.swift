import Frames

/// Keeps the frames that wait in temporary files from filling the memory while tiles are made of them.
///
/// Tiles go down the plate row by row, and so, nearly, does what they read of the frames. Hence now and then all that
/// was read is given back, which costs nothing but the pages that are still needed and come again.
struct SpilledFrames: Sendable {
  /// Bytes, about, that may be read before they are given back.
  private static let residentBytes = 64 << 20

  private let frames: [Frame]
  /// Tiles from one time to the next, and in all.
  private let interval: Int
  private let tiles: Int

  init(_ request: StackRequest, tiles: Int) {
    self.tiles = tiles
    frames = request.frames.map(\.frame).filter(\.isSpilled)
    let across = (request.crop.width + TileLayout.width - 1) / TileLayout.width
    // A row of tiles reads twice its height, for turned frames and for the kernel's margins.
    let rowBytes = frames.reduce(0) { $0 + $1.byteCount / $1.size.height * 2 * TileLayout.height }
    interval = across * max(1, Self.residentBytes / max(rowBytes, 1))
  }

  /// - Parameter done: how many tiles are ready.
  func discard(after done: Int) {
    guard done % interval == 0 || done == tiles else { return }
    for frame in frames { frame.discardResidentSamples() }
  }
}
