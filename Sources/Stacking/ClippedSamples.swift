import Frames

/// What is known of a frame that is brighter than the reference.
struct FrameLevels: Sendable {
  /// Its place among the frames.
  let frame: Int
  /// Matched levels from which on its samples may be clipped.
  let planes: [Int]
  /// How little what is clipped is to be believed, 0...`ClippedSamples.certain`.
  let doubt: Int
}

/// Which samples of a tile are clipped, and how little they are to be believed.
struct ClippedSamples {
  private let width: Int
  private let area: Int
  private let bits: Int
  /// By frame, where its marks begin among `doubts`; nil for those without a mark.
  private var starts: [Int?]
  /// 0...`certain`, `area` of them for each frame with a mark.
  private var doubts: [UInt8] = []
  /// Whether any frame has a mark there: hardly any place has.
  private var places: [Bool]

  static let certain = 255

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    width = tile.region.width
    area = tile.region.width * tile.region.height
    starts = Array(repeating: nil, count: tile.frames)
    places = Array(repeating: false, count: area)
  }

  mutating func set(_ levels: FrameLevels, x: Int, y: Int) {
    let index = y * width + x
    doubts[start(of: levels.frame) + index] = UInt8(levels.doubt)
    places[index] = true
  }

  private mutating func start(of frame: Int) -> Int {
    if let start = starts[frame] { return start }
    let start = doubts.count
    starts[frame] = start
    doubts.append(contentsOf: repeatElement(0, count: area))
    return start
  }

  /// - Parameters:
  ///   - lastFirst: the frames that may be marked, that which clips last first.
  ///   - light: the plane that tells how bright samples are, and its samples across and down for one of the tile's; nil
  ///     where the tile itself does.
  func repair<S: Sample>(
    _ tile: WarpedTile, lastFirst: [Int], as type: S.Type,
    byLight light: (tile: WarpedTile, scaleX: Int, scaleY: Int)? = nil
  ) {
    guard !doubts.isEmpty else { return }
    let marked = lastFirst.filter { starts[$0] != nil }
    let (bright, scaleX, scaleY) = light ?? (tile, 1, 1)
    var place = ClippedPlace(frames: tile.frames, bits: bits)
    for y in 0..<area / width {
      let columns = (0..<width).filter { places[y * width + $0] }
      guard !columns.isEmpty else { continue }
      let lightRow = min(y * scaleY, bright.region.height - 1)
      let shown = (0..<tile.frames).map { frame in
        FrameRow(
          samples: tile.mutableSamples(frame, row: y, as: S.self),
          light: bright.samples(frame, row: lightRow, as: S.self), covered: tile.coverage[y * tile.frames + frame],
          weight: Int(tile.weights[frame]), doubts: starts[frame].map { $0 + y * width })
      }
      for x in columns {
        let lightColumn = min(x * scaleX, bright.region.width - 1)
        func seen(_ frame: Int, counts: Int) -> ClippedPlace.Seen {
          ClippedPlace.Seen(
            frame: frame, sample: Int(shown[frame].samples[x]), light: Int(shown[frame].light[lightColumn]),
            counts: counts)
        }
        func doubt(_ row: FrameRow<S>) -> Int { row.doubts.map { Int(doubts[$0 + x]) } ?? 0 }

        place.clear()
        for frame in marked where shown[frame].covered.contains(Int32(x)) {
          let doubt = doubt(shown[frame])
          if doubt > 0 { place.doubt(seen(frame, counts: doubt)) }
        }
        guard place.doubtedCount > 0 else { continue }
        for frame in shown.indices where shown[frame].covered.contains(Int32(x)) {
          let belief = Self.certain - doubt(shown[frame])
          if belief > 0 { place.believe(seen(frame, counts: shown[frame].weight * belief)) }
        }
        for index in 0..<place.doubtedCount {
          let row = shown[place.doubted[index].frame]
          row.samples[x] = S(place.value(of: place.doubted[index], weight: row.weight))
        }
      }
    }
  }
}

/// One row of a frame.
private struct FrameRow<S: Sample> {
  let samples: UnsafeMutablePointer<S>
  let light: UnsafePointer<S>
  let covered: Range<Int32>
  let weight: Int
  /// Where its marks begin; nil if it has none.
  let doubts: Int?
}
