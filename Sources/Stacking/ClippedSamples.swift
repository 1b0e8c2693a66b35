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
  /// By frame, 0...`certain`; empty for those without a mark.
  private var frames: [[UInt8]]
  /// Whether a row has any.
  private var rows: [Bool]
  private let bits: Int

  static let certain = 255

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    width = tile.region.width
    area = tile.region.width * tile.region.height
    frames = Array(repeating: [], count: tile.frames)
    rows = Array(repeating: false, count: tile.region.height)
  }

  mutating func set(_ levels: FrameLevels, x: Int, y: Int) {
    if frames[levels.frame].isEmpty { frames[levels.frame] = Array(repeating: 0, count: area) }
    frames[levels.frame][y * width + x] = UInt8(levels.doubt)
    rows[y] = true
  }

  /// - Parameters:
  ///   - lastFirst: the frames that may be marked, that which clips last first.
  ///   - light: the plane that tells how bright samples are, and its samples across and down for one of the tile's; nil
  ///     where the tile itself does.
  func repair<S: Sample>(
    _ tile: WarpedTile, lastFirst: [Int], as type: S.Type,
    byLight light: (tile: WarpedTile, scaleX: Int, scaleY: Int)? = nil
  ) {
    let marked = lastFirst.filter { !frames[$0].isEmpty }
    let (bright, scaleX, scaleY) = light ?? (tile, 1, 1)
    var place = Place(frames: tile.frames, bits: bits)
    for y in rows.indices where rows[y] {
      let lightRow = min(y * scaleY, bright.region.height - 1)
      let shown = (0..<tile.frames).map { frame in
        FrameRow(
          samples: tile.mutableSamples(frame, row: y, as: S.self),
          light: bright.samples(frame, row: lightRow, as: S.self), covered: tile.coverage[y * tile.frames + frame],
          weight: Int(tile.weights[frame]))
      }
      for x in 0..<width {
        let lightColumn = min(x * scaleX, bright.region.width - 1)
        func doubt(_ frame: Int) -> Int { frames[frame].isEmpty ? 0 : Int(frames[frame][y * width + x]) }
        func seen(_ frame: Int, counts: Int) -> Place.Seen {
          Place.Seen(
            frame: frame, sample: Int(shown[frame].samples[x]), light: Int(shown[frame].light[lightColumn]),
            counts: counts)
        }

        place.clear()
        for frame in marked where doubt(frame) > 0 && shown[frame].covered.contains(Int32(x)) {
          place.doubt(seen(frame, counts: doubt(frame)))
        }
        guard place.doubtedCount > 0 else { continue }
        for frame in shown.indices where doubt(frame) < Self.certain && shown[frame].covered.contains(Int32(x)) {
          place.believe(seen(frame, counts: shown[frame].weight * (Self.certain - doubt(frame))))
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
}

/// What the frames show at one place, in memory that serves one place after the other.
private struct Place: ~Copyable {
  /// What may be clipped, that which clips last first; how much it counts is how little it is to be believed,
  /// 1...`certain`.
  let doubted: UnsafeMutablePointer<Seen>
  private(set) var doubtedCount = 0
  /// What is not clipped, or not for certain, by sample; how much it counts is its frame's weight times how much of
  /// `certain` it is to be believed.
  private let believed: UnsafeMutablePointer<Seen>
  private var believedCount = 0
  /// How much each of these counts in what a clipped sample becomes.
  private let weights: UnsafeMutablePointer<Int>
  /// Levels about the median within which samples agree, and by which what is as bright may be darker: 16 of 8 bits.
  private let reach: Int
  private let bits: Int

  init(frames: Int, bits: Int) {
    doubted = .allocate(capacity: frames)
    believed = .allocate(capacity: frames)
    weights = .allocate(capacity: frames)
    self.bits = bits
    reach = 16 << (bits - 8)
  }

  deinit {
    doubted.deallocate()
    believed.deallocate()
    weights.deallocate()
  }

  struct Seen {
    let frame: Int
    let sample: Int
    let light: Int
    let counts: Int
  }

  private static let certain = ClippedSamples.certain

  mutating func clear() { (doubtedCount, believedCount) = (0, 0) }

  /// Adds what clips before all that was added.
  mutating func doubt(_ shown: Seen) {
    doubted[doubtedCount] = shown
    doubtedCount += 1
  }

  mutating func believe(_ shown: Seen) {
    var index = believedCount
    while index > 0, believed[index - 1].sample > shown.sample {
      believed[index] = believed[index - 1]
      index -= 1
    }
    believed[index] = shown
    believedCount += 1
  }

  /// What counts instead of a clipped sample. All that is known of it is that it was as bright at least.
  func value(of frame: Seen, weight frameWeight: Int) -> Int {
    for index in 0..<believedCount {
      let other = believed[index]
      // Gradually, or it would show where noise makes others bright enough: 0...32.
      let brightness = min(max(2 &* (other.light &- frame.light) &+ 3 &* reach, 0), 2 &* reach) &>> (bits &- 8)
      weights[index] = other.frame == frame.frame ? 0 : (other.counts &* brightness) &>> 5
    }
    let (sum, weight) = consensus()
    let enough = frameWeight * Self.certain
    var value = weight > 0 ? Double(sum) / Double(weight) : 0
    if weight < enough {
      let share = Double(weight) / Double(enough)
      value = share * value + (1 - share) * last(before: frame)
    }
    let doubt = Double(frame.counts) / Double(Self.certain)
    return Int(Double(frame.sample) + doubt * (value - Double(frame.sample)) + 0.5)
  }

  /// What the frame shows that clips last, as far as it is doubted; then the next, and in the end the frame itself.
  private func last(before frame: Seen) -> Double {
    var (sum, rest) = (0.0, 1.0)
    for index in 0..<doubtedCount where rest > 0 {
      let share = rest * Double(doubted[index].counts) / Double(Self.certain)
      sum += share * Double(doubted[index].sample)
      rest -= share
    }
    return sum + rest * Double(frame.sample)
  }

  /// The weighted sum of those near the weighted median.
  private func consensus() -> (sum: Int, weight: Int) {
    var whole = 0
    for index in 0..<believedCount { whole &+= weights[index] }
    var (below, lower, upper) = (0, 0, 0)
    for index in 0..<believedCount where weights[index] > 0 {
      if 2 &* below < whole { lower = believed[index].sample }
      if 2 &* below > whole { break }
      upper = believed[index].sample
      below &+= weights[index]
    }
    var (sum, near) = (0, 0)
    for index in 0..<believedCount where abs(2 &* believed[index].sample &- lower &- upper) <= 2 &* reach {
      sum &+= believed[index].sample &* weights[index]
      near &+= weights[index]
    }
    return near > 0 ? (sum, near) : ((lower + upper) / 2 * whole, whole)
  }
}
