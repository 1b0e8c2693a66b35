import CShimKernels
import Frames

/// Which samples of a tile are clipped, and how little they are to be believed.
struct ClippedSamples {
  private let width: Int
  private let height: Int
  private let bits: Int
  /// By frame, where its marks begin among `doubts`; nil for those without a mark.
  private var starts: [Int?]
  /// 0...`DoubtedFrame.certain`, one for each sample, for each frame with a mark.
  private var doubts: [UInt8] = []
  /// By how many levels of 8 bits light may exceed what those show.
  private var rooms: [UInt8] = []

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    (width, height) = (tile.region.width, tile.region.height)
    starts = Array(repeating: nil, count: tile.frames)
  }

  /// - Parameters:
  ///   - row: of a frame's samples.
  ///   - doubts: how little they are to be believed, 0...`DoubtedFrame.certain`.
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

  /// Replaces what is marked (`cs_repair_clipped`).
  /// - Parameter lastFirst: the frames that may be marked, that which clips last first.
  func repair<S: Sample>(
    _ tile: WarpedTile, lastFirst: [Int], as type: S.Type, light: LightBeside, colours: ColoursBeside
  ) {
    guard !doubts.isEmpty else { return }
    let marked = lastFirst.filter { starts[$0] != nil }.map(Int32.init)
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: tile.frames * Int(CS_CLIPPED_SCRATCH) * MemoryLayout<Int32>.stride, alignment: 64)
    defer { scratch.deallocate() }
    let layout = cs_clipped_layout(
      bits: Int32(bits), columns: Int32(width), light_step: Int32(light.scaleX),
      light_columns: Int32(light.tile.region.width),
      colours: Int32(colours.tiles.count), colour_step: Int32(colours.scaleX),
      colour_columns: Int32(colours.tiles.first?.region.width ?? 0),
      are_chroma: colours.areChroma ? 1 : 0)
    doubts.withUnsafeBufferPointer { doubts in
      rooms.withUnsafeBufferPointer { rooms in
        for y in 0..<height {
          let rows = (0..<tile.frames).map { frame in
            let covered = tile.coverage[y * tile.frames + frame]
            func colour(_ index: Int) -> UnsafeRawPointer? {
              colours.samples(index, frame, beside: y, as: S.self).map { .init($0) }
            }
            return cs_clipped_row(
              samples: tile.mutableSamples(frame, row: y, as: S.self),
              light: light.samples(frame, beside: y, as: S.self), colours: (colour(0), colour(1), colour(2)),
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

/// The plane that tells how bright samples are: the same, or one on which they lie closer.
struct LightBeside {
  let tile: WarpedTile
  /// Its samples across and down for one of the others.
  var scaleX = 1
  var scaleY = 1

  func samples<S: Sample>(_ frame: Int, beside y: Int, as type: S.Type) -> UnsafePointer<S> {
    tile.samples(frame, row: min(y * scaleY, tile.region.height - 1), as: S.self)
  }
}

/// The planes that tell which colour samples are of, three at most; none for grey.
struct ColoursBeside {
  let tiles: [WarpedTile]
  let areChroma: Bool
  /// Samples across and down that share one of theirs.
  var scaleX = 1
  var scaleY = 1

  func samples<S: Sample>(_ index: Int, _ frame: Int, beside y: Int, as type: S.Type) -> UnsafePointer<S>? {
    guard index < tiles.count else { return nil }
    let tile = tiles[index]
    return tile.samples(frame, row: min(y / scaleY, tile.region.height - 1), as: S.self)
  }
}
