import Frames

/// The samples of every frame for one tile of one plane, in a worker's own memory.
///
/// Row y of frame k starts at `base + k * TileLayout.frameStride + y * region.width`, in samples.
final class WarpedTile {
  let frames: Int
  let bytesPerSample: Int
  /// Where the tile lies in the plate's plane; set for each tile.
  var region = Region(x: 0, y: 0, width: 0, height: 0)
  /// The columns of the tile that a frame covers, by row and frame: `coverage[y * frames + k]`.
  var coverage: [Range<Int32>]
  let base: UnsafeMutableRawPointer
  /// Room for the compacted samples of one part of a row.
  private let spare: UnsafeMutableRawPointer

  init(frames: Int, bytesPerSample: Int) {
    self.frames = frames
    self.bytesPerSample = bytesPerSample
    coverage = Array(repeating: 0..<0, count: TileLayout.height * frames)
    let byteCount = frames * TileLayout.frameStride * bytesPerSample
    base = .allocate(byteCount: byteCount, alignment: 64)
    spare = .allocate(byteCount: byteCount, alignment: 64)
  }

  deinit {
    base.deallocate()
    spare.deallocate()
  }

  /// Bytes from a row of a frame to its next row.
  var rowStride: Int { region.width * bytesPerSample }

  /// Where frame `k` starts.
  func frame(_ k: Int) -> UnsafeMutableRawPointer { base + k * TileLayout.frameStride * bytesPerSample }

  /// Splits row `y` where coverage changes and hands over each part: its columns, how many frames cover it, and
  /// where their samples for its first column start, `TileLayout.frameStride` apart, in the frames' order.
  ///
  /// Where some frames do not cover a part, the others' samples are first moved together, so that `body` always
  /// finds its frames without gaps. Parts that no frame covers are passed with a count of 0.
  func forEachSpan<S: Sample>(
    row y: Int, as type: S.Type, _ body: (Range<Int>, Int, UnsafePointer<S>) -> Void
  ) {
    let samples = base.assumingMemoryBound(to: S.self) + y * region.width
    let ranges = coverage[y * frames..<(y + 1) * frames]
    let width = region.width
    if ranges.allSatisfy({ $0.lowerBound <= 0 && $0.upperBound >= Int32(width) }) {
      body(0..<width, frames, UnsafePointer(samples))
      return
    }
    var cuts = Set([0, width])
    for range in ranges where !range.isEmpty {
      cuts.insert(min(max(Int(range.lowerBound), 0), width))
      cuts.insert(min(max(Int(range.upperBound), 0), width))
    }
    let sorted = cuts.sorted()
    let compact = spare.assumingMemoryBound(to: S.self)
    for (start, end) in zip(sorted, sorted.dropFirst()) {
      var count = 0
      for (k, range) in ranges.enumerated() where range.lowerBound <= start && Int(range.upperBound) >= end {
        (compact + count * TileLayout.frameStride).update(
          from: samples + k * TileLayout.frameStride + start, count: end - start)
        count += 1
      }
      body(start..<end, count, UnsafePointer(compact))
    }
  }
}
