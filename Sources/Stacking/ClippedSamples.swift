import Frames

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

  /// - Parameter doubt: how little a frame's sample is to be believed, 0...`certain`.
  mutating func set(_ frame: Int, doubt: Int, x: Int, y: Int) {
    let index = y * width + x
    doubts[start(of: frame) + index] = UInt8(doubt)
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
    doubts.withUnsafeBufferPointer { doubts in
      for y in 0..<area / width {
        let columns = (0..<width).filter { places[y * width + $0] }
        guard !columns.isEmpty else { continue }
        let lightRow = min(y * scaleY, bright.region.height - 1)
        let shown = (0..<tile.frames).map { frame in
          FrameRow(
            samples: tile.mutableSamples(frame, row: y, as: S.self),
            light: bright.samples(frame, row: lightRow, as: S.self), covered: tile.coverage[y * tile.frames + frame],
            weight: Int(tile.weights[frame]), doubts: starts[frame].map { doubts.baseAddress! + $0 + y * width })
        }
        shown.withUnsafeBufferPointer { shown in
          for x in columns {
            Self.repair(shown, marked, x, lightColumn: min(x * scaleX, bright.region.width - 1), in: &place)
          }
        }
      }
    }
  }

  /// Replaces what is marked in one column of a row.
  @inline(__always)
  private static func repair<S: Sample>(
    _ shown: UnsafeBufferPointer<FrameRow<S>>, _ marked: [Int], _ x: Int, lightColumn: Int,
    in place: inout ClippedPlace
  ) {
    place.clear()
    for frame in marked {
      let doubt = shown[frame].doubt(at: x)
      if doubt > 0 { place.doubt(shown[frame].seen(frame, at: x, lightColumn, counts: doubt)) }
    }
    guard place.doubtedCount > 0 else { return }
    for frame in shown.indices where shown[frame].covered.contains(Int32(x)) {
      let belief = certain - shown[frame].doubt(at: x)
      if belief > 0 {
        place.believe(shown[frame].seen(frame, at: x, lightColumn, counts: shown[frame].weight * belief))
      }
    }
    for index in 0..<place.doubtedCount {
      let row = shown[place.doubted[index].frame]
      row.samples[x] = S(place.value(of: place.doubted[index], weight: row.weight))
    }
  }
}

/// One row of a frame.
private struct FrameRow<S: Sample> {
  let samples: UnsafeMutablePointer<S>
  let light: UnsafePointer<S>
  let covered: Range<Int32>
  let weight: Int
  /// Its marks; nil if it has none.
  let doubts: UnsafePointer<UInt8>?

  /// How little what it shows at a column is to be believed; 0 where it shows nothing.
  @inline(__always)
  func doubt(at x: Int) -> Int {
    guard let doubts, covered.contains(Int32(x)) else { return 0 }
    return Int(doubts[x])
  }

  @inline(__always)
  func seen(_ frame: Int, at x: Int, _ lightColumn: Int, counts: Int) -> ClippedPlace.Seen {
    ClippedPlace.Seen(frame: frame, sample: Int(samples[x]), light: Int(light[lightColumn]), counts: counts)
  }
}
