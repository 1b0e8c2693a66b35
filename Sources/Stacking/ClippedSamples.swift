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
  /// By how many levels of 8 bits light may exceed what those show.
  private var rooms: [UInt8] = []

  static let certain = Int(CS_CERTAINLY_CLIPPED)

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    (width, height) = (tile.region.width, tile.region.height)
    starts = Array(repeating: nil, count: tile.frames)
  }

  /// - Parameters:
  ///   - row: of a frame's samples.
  ///   - doubts: how little they are to be believed, 0...`certain`.
  ///   - rooms: by how many levels of 8 bits light may exceed what they show.
  ///   - times: how many samples each of these speaks for; the last perhaps for fewer.
  mutating func set(_ frame: Int, row y: Int, doubts: [UInt8], rooms: [UInt8], times: Int = 1) {
    let start = start(of: frame) + y * width
    Self.spread(doubts, times, over: &self.doubts, from: start, width)
    Self.spread(rooms, times, over: &self.rooms, from: start, width)
  }

  private static func spread(_ values: [UInt8], _ times: Int, over all: inout [UInt8], from start: Int, _ count: Int) {
    all.withUnsafeMutableBufferPointer { all in
      for x in 0..<count { all[start &+ x] = values[x / times] }
    }
  }

  private mutating func start(of frame: Int) -> Int {
    if let start = starts[frame] { return start }
    let start = doubts.count
    starts[frame] = start
    doubts.append(contentsOf: repeatElement(0, count: width * height))
    rooms.append(contentsOf: repeatElement(0, count: width * height))
    return start
  }

  /// Planes that tell about samples, one of theirs for so many across and down.
  typealias Beside = (tiles: [WarpedTile], scaleX: Int, scaleY: Int)

  /// Replaces what is marked (`cs_repair_clipped`).
  /// - Parameters:
  ///   - lastFirst: the frames that may be marked, that which clips last first.
  ///   - light: the plane that tells how bright samples are, and its samples across and down for one of the tile's; nil
  ///     where the tile itself does.
  ///   - colours: the planes that tell which colour they are of; none for grey.
  ///   - areChroma: whether those are chroma.
  func repair<S: Sample>(
    _ tile: WarpedTile, lastFirst: [Int], as type: S.Type, byLight light: (tile: WarpedTile, scaleX: Int, scaleY: Int)?,
    colours: Beside, areChroma: Bool
  ) {
    guard !doubts.isEmpty else { return }
    let marked = lastFirst.filter { starts[$0] != nil }.map(Int32.init)
    let (bright, scaleX, scaleY) = light ?? (tile, 1, 1)
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: tile.frames * Int(CS_CLIPPED_SCRATCH) * MemoryLayout<Int32>.stride, alignment: 64)
    defer { scratch.deallocate() }
    let layout = cs_clipped_layout(
      bits: Int32(bits), columns: Int32(width), light_step: Int32(scaleX), light_columns: Int32(bright.region.width),
      colours: Int32(colours.tiles.count), colour_step: Int32(colours.scaleX),
      colour_columns: Int32(colours.tiles.first?.region.width ?? 0), are_chroma: areChroma ? 1 : 0)
    doubts.withUnsafeBufferPointer { doubts in
      rooms.withUnsafeBufferPointer { rooms in
        for y in 0..<height {
          let lightRow = min(y * scaleY, bright.region.height - 1)
          let rows = (0..<tile.frames).map { frame in
            let covered = tile.coverage[y * tile.frames + frame]
            func colour(_ index: Int) -> UnsafePointer<S>? {
              guard index < colours.tiles.count else { return nil }
              let beside = colours.tiles[index]
              return beside.samples(frame, row: min(y / colours.scaleY, beside.region.height - 1), as: S.self)
            }
            return cs_clipped_row(
              samples: tile.mutableSamples(frame, row: y, as: S.self),
              light: bright.samples(frame, row: lightRow, as: S.self),
              colours: (colour(0).map { .init($0) }, colour(1).map { .init($0) }, colour(2).map { .init($0) }),
              doubts: starts[frame].map { doubts.baseAddress! + $0 + y * width },
              rooms: starts[frame].map { rooms.baseAddress! + $0 + y * width },
              first: covered.lowerBound, past: covered.upperBound, weight: Int32(tile.weights[frame]))
          }
          cs_repair_clipped(rows, Int32(rows.count), marked, Int32(marked.count), layout, scratch)
        }
      }
    }
  }
}
