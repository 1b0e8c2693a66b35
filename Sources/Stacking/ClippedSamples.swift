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
    var place = Place(bits: bits)
    for y in rows.indices where rows[y] {
      let lightRow = min(y * scaleY, bright.region.height - 1)
      for x in 0..<width where marked.contains(where: { frames[$0][y * width + x] > 0 }) {
        let lightColumn = min(x * scaleX, bright.region.width - 1)
        place.seen.removeAll(keepingCapacity: true)
        for frame in 0..<tile.frames where tile.covers(frame, row: y, columns: x..<x + 1) {
          place.insert(
            Place.Seen(
              frame: frame, sample: Int(tile.samples(frame, row: y, as: S.self)[x]),
              light: Int(bright.samples(frame, row: lightRow, as: S.self)[lightColumn]),
              doubt: frames[frame].isEmpty ? 0 : Int(frames[frame][y * width + x]), weight: Int(tile.weights[frame])))
        }
        for frame in place.seen where frame.doubt > 0 {
          tile.mutableSamples(frame.frame, row: y, as: S.self)[x] = S(place.value(of: frame, lastFirst: marked))
        }
      }
    }
  }
}

/// What the frames show at one place.
private struct Place {
  /// By sample.
  var seen: [Seen] = []
  /// How much each of them counts.
  private var weights: [Int] = []
  /// Levels about the median within which samples agree, and by which what is as bright may be darker: 16 of 8 bits.
  private let reach: Int
  private let bits: Int

  init(bits: Int) {
    self.bits = bits
    reach = 16 << (bits - 8)
  }

  struct Seen {
    let frame: Int
    let sample: Int
    let light: Int
    /// How little it is to be believed, 0...`certain`.
    let doubt: Int
    let weight: Int
  }

  private static let certain = ClippedSamples.certain

  mutating func insert(_ shown: Seen) {
    var index = seen.count
    seen.append(shown)
    while index > 0, seen[index - 1].sample > shown.sample {
      seen[index] = seen[index - 1]
      index -= 1
    }
    seen[index] = shown
  }

  /// What counts instead of a clipped sample. All that is known of it is that it was as bright at least.
  mutating func value(of frame: Seen, lastFirst: [Int]) -> Int {
    weights.removeAll(keepingCapacity: true)
    for other in seen {
      // Gradually, or it would show where noise makes others bright enough: 0...32.
      let brightness = min(max(2 &* (other.light &- frame.light) &+ 3 &* reach, 0), 2 &* reach) >> (bits &- 8)
      weights.append(
        other.frame == frame.frame ? 0 : (other.weight &* (Self.certain &- other.doubt) &* brightness) >> 5)
    }
    let (sum, weight) = consensus()
    let enough = frame.weight * Self.certain
    var value = weight > 0 ? Double(sum) / Double(weight) : 0
    if weight < enough {
      let share = Double(weight) / Double(enough)
      value = share * value + (1 - share) * last(lastFirst, before: frame)
    }
    let doubt = Double(frame.doubt) / Double(Self.certain)
    return Int(Double(frame.sample) + doubt * (value - Double(frame.sample)) + 0.5)
  }

  /// What the frame shows that clips last, as far as it is doubted; then the next, and in the end the frame itself.
  private func last(_ lastFirst: [Int], before frame: Seen) -> Double {
    var (sum, rest) = (0.0, 1.0)
    for mark in lastFirst {
      guard let other = seen.first(where: { $0.frame == mark }) else { continue }
      let share = rest * Double(other.doubt) / Double(Self.certain)
      sum += share * Double(other.sample)
      rest -= share
    }
    return sum + rest * Double(frame.sample)
  }

  /// The weighted sum of those near the weighted median.
  private func consensus() -> (sum: Int, weight: Int) {
    let whole = weights.reduce(0, &+)
    var (below, lower, upper) = (0, 0, 0)
    for index in seen.indices where weights[index] > 0 {
      if 2 &* below < whole { lower = seen[index].sample }
      if 2 &* below > whole { break }
      upper = seen[index].sample
      below &+= weights[index]
    }
    var (sum, near) = (0, 0)
    for index in seen.indices where abs(2 &* seen[index].sample &- lower &- upper) <= 2 &* reach {
      sum &+= seen[index].sample &* weights[index]
      near &+= weights[index]
    }
    return near > 0 ? (sum, near) : ((lower + upper) / 2 * whole, whole)
  }
}
