import CShimKernels
import Frames

/// Which samples of a tile are clipped, and how little they are to be believed.
struct ClippedSamples {
  private let width: Int
  private let height: Int
  private let bits: Int
  /// By frame, where its marks begin among `doubts`; nil for those without a mark.
  private var starts: [Int?]
  /// 0...`certain`, one for each sample, for each frame with a mark.
  private var doubts: [UInt8] = []

  static let certain = Int(CS_CERTAINLY_CLIPPED)

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    (width, height) = (tile.region.width, tile.region.height)
    starts = Array(repeating: nil, count: tile.frames)
  }

  /// - Parameters:
  ///   - row: of a frame's samples.
  ///   - doubts: how little they are to be believed, 0...`certain`.
  ///   - times: how many samples each of these speaks for; the last perhaps for fewer.
  mutating func set(_ frame: Int, row y: Int, doubts marks: [UInt8], times: Int = 1) {
    let start = start(of: frame) + y * width
    doubts.withUnsafeMutableBufferPointer { doubts in
      for x in 0..<width { doubts[start + x] = marks[x / times] }
    }
  }

  private mutating func start(of frame: Int) -> Int {
    if let start = starts[frame] { return start }
    let start = doubts.count
    starts[frame] = start
    doubts.append(contentsOf: repeatElement(0, count: width * height))
    return start
  }

  /// Replaces what is marked (`cs_repair_clipped`).
  /// - Parameters:
  ///   - lastFirst: the frames that may be marked, that which clips last first.
  ///   - light: the plane that tells how bright samples are, and its samples across and down for one of the tile's; nil
  ///     where the tile itself does.
  func repair<S: Sample>(
    _ tile: WarpedTile, lastFirst: [Int], as type: S.Type,
    byLight light: (tile: WarpedTile, scaleX: Int, scaleY: Int)? = nil
  ) {
    guard !doubts.isEmpty else { return }
    let marked = lastFirst.filter { starts[$0] != nil }.map(Int32.init)
    let (bright, scaleX, scaleY) = light ?? (tile, 1, 1)
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: tile.frames * Int(CS_CLIPPED_SCRATCH) * MemoryLayout<Int32>.stride, alignment: 64)
    defer { scratch.deallocate() }
    doubts.withUnsafeBufferPointer { doubts in
      for y in 0..<height {
        let lightRow = min(y * scaleY, bright.region.height - 1)
        let rows = (0..<tile.frames).map { frame in
          let covered = tile.coverage[y * tile.frames + frame]
          return cs_clipped_row(
            samples: tile.mutableSamples(frame, row: y, as: S.self),
            light: bright.samples(frame, row: lightRow, as: S.self),
            doubts: starts[frame].map { doubts.baseAddress! + $0 + y * width },
            first: covered.lowerBound, past: covered.upperBound, weight: Int32(tile.weights[frame]))
        }
        cs_repair_clipped(
          rows, Int32(rows.count), marked, Int32(marked.count), Int32(width), Int32(scaleX), Int32(bright.region.width),
          Int32(bits), scratch)
      }
    }
  }
}
