import Frames

/// Keeps samples that were clipped in the camera from outvoting others: of a frame that is brighter than the reference,
/// white comes out as grey once the exposures are matched.
///
/// Clipped samples take the mean of what most of the others agree on that are as bright at least, so that they change nothing
/// but speak against what is darker; where there are none, the brightest of the clipped, which is nearest to what was there.
struct Saturation: Sendable {
  /// Matched levels from which on a frame's samples may be clipped, by its place among the frames and by plane.
  private let levels: [(frame: Int, planes: [Int])]
  private let hasChroma: Bool
  private let bits: Int

  /// Levels of 8 bits from which on a camera's samples may be clipped; JPEG's noise leaves few at 255.
  private static let clipped = 250.0
  /// Where a frame is brighter than the reference by less, what is clipped is nearly right.
  private static let leastGain = 0.97

  init(_ request: StackRequest) {
    let frames = request.frames
    bits = frames[0].frame.bits
    let hasChroma = if case .yCbCr = frames[0].frame.encoding { true } else { false }
    self.hasChroma = hasChroma
    levels = frames.enumerated().compactMap { index, registered in
      let match = registered.alignment.photometric
      let unit = Double(1 << (registered.frame.bits - 8))
      let light = hasChroma ? [match.channels[0]] : match.channels
      guard light.contains(where: { $0.leastGain < Self.leastGain }) else { return nil }
      return (index, light.map { Int($0.leastGain * Self.clipped * unit + $0.leastOffset) })
    }
  }

  /// Replaces what is clipped in a tile of all planes.
  func repair(_ tiles: [WarpedTile]) {
    if bits > 8 { repair(tiles, as: UInt16.self) } else { repair(tiles, as: UInt8.self) }
  }

  private func repair<S: Sample>(_ tiles: [WarpedTile], as type: S.Type) {
    guard !levels.isEmpty else { return }
    if hasChroma {
      repairJointly(tiles, as: type)
    } else {
      for (plane, tile) in tiles.enumerated() {
        var marks = Marks(tile, bits: bits)
        for (frame, levels) in levels {
          for y in 0..<tile.region.height {
            let row = tile.samples(frame, row: y, as: S.self)
            for x in 0..<tile.region.width where Int(row[x]) >= levels[plane] { marks.set(frame, x: x, y: y) }
          }
        }
        marks.repair(tile, as: S.self)
      }
    }
  }

  /// Luma hides that red or blue is clipped, so that all three planes are marked where one colour may be.
  private func repairJointly<S: Sample>(_ tiles: [WarpedTile], as type: S.Type) {
    let (luma, chroma) = (tiles[0], tiles[1])
    let scaleX = max(1, (luma.region.width + chroma.region.width - 1) / max(chroma.region.width, 1))
    let scaleY = max(1, (luma.region.height + chroma.region.height - 1) / max(chroma.region.height, 1))
    var (lumaMarks, chromaMarks) = (Marks(luma, bits: bits), Marks(chroma, bits: bits))
    let neutral = 1 << (bits - 1)
    for (frame, levels) in levels {
      let level = levels[0]
      guard mayBeClipped(tiles, frame, level: level, neutral: neutral, as: type) else { continue }
      for cy in 0..<chroma.region.height {
        let blue = tiles[1].samples(frame, row: cy, as: S.self)
        let red = tiles[2].samples(frame, row: cy, as: S.self)
        let rows = cy * scaleY..<min((cy + 1) * scaleY, luma.region.height)
        for cx in 0..<chroma.region.width {
          let columns = cx * scaleX..<min((cx + 1) * scaleX, luma.region.width)
          var brightest = 0
          for y in rows {
            let row = luma.samples(frame, row: y, as: S.self)
            for x in columns { brightest = max(brightest, Int(row[x])) }
          }
          // ITU-R BT.601, in 1/1024; other standards' colours are near enough.
          let (b, r) = (Int(blue[cx]) - neutral, Int(red[cx]) - neutral)
          let tint = max(1436 * r, 1815 * b, -352 * b - 731 * r, 0) >> 10
          guard brightest + tint >= level else { continue }
          chromaMarks.set(frame, x: cx, y: cy)
          for y in rows {
            for x in columns { lumaMarks.set(frame, x: x, y: y) }
          }
        }
      }
    }
    // Luma tells who is as bright, so that it comes last.
    for tile in tiles[1...] { chromaMarks.repair(tile, as: S.self, byLight: (luma, scaleX, scaleY)) }
    lumaMarks.repair(luma, as: S.self)
  }

  /// Whether the brightest of a tile with the strongest of its tints is as bright as what is clipped: in most it is not.
  private func mayBeClipped<S: Sample>(
    _ tiles: [WarpedTile], _ frame: Int, level: Int, neutral: Int, as type: S.Type
  ) -> Bool {
    func extremes(_ tile: WarpedTile) -> (least: Int, most: Int) {
      let samples = tile.samples(frame, row: 0, as: S.self)
      var (least, most) = (S.max, S.min)
      for index in 0..<tile.region.width * tile.region.height {
        least = min(least, samples[index])
        most = max(most, samples[index])
      }
      return (Int(least), Int(most))
    }
    let (luma, blue, red) = (extremes(tiles[0]), extremes(tiles[1]), extremes(tiles[2]))
    let tint = max(
      1436 * (red.most - neutral), 1815 * (blue.most - neutral),
      352 * (neutral - blue.least) + 731 * (neutral - red.least), 0)
    return luma.most + tint >> 10 >= level
  }
}

extension PhotometricMatch.Channel {
  /// Anywhere over the reference.
  fileprivate var leastGain: Double { gain * Double(gains?.values.min() ?? 1) }
  fileprivate var leastOffset: Double { offset + Double(offsets?.values.min() ?? 0) }
}

/// Which samples of a tile are clipped.
private struct Marks {
  private let width: Int
  private let area: Int
  /// By frame; empty for those without a mark.
  private var frames: [[Bool]]
  private var rows: Set<Int> = []
  private let bits: Int

  init(_ tile: WarpedTile, bits: Int) {
    self.bits = bits
    width = tile.region.width
    area = tile.region.width * tile.region.height
    frames = Array(repeating: [], count: tile.frames)
  }

  mutating func set(_ frame: Int, x: Int, y: Int) {
    if frames[frame].isEmpty { frames[frame] = Array(repeating: false, count: area) }
    frames[frame][y * width + x] = true
    rows.insert(y)
  }

  /// - Parameter light: the plane that tells how bright samples are, and its samples across and down for one of the tile's; nil
  ///   where the tile itself does.
  func repair<S: Sample>(
    _ tile: WarpedTile, as type: S.Type, byLight light: (tile: WarpedTile, scaleX: Int, scaleY: Int)? = nil
  ) {
    let marked = frames.indices.filter { !frames[$0].isEmpty }
    let (bright, scaleX, scaleY) = light ?? (tile, 1, 1)
    let reach = Self.agreement << (bits - 8)
    var clear: [(frame: Int, light: Int)] = []
    var agreed: [(sample: S, weight: UInt8)] = []
    for y in rows {
      let lightRow = min(y * scaleY, bright.region.height - 1)
      for x in 0..<width where marked.contains(where: { frames[$0][y * width + x] }) {
        let lightColumn = min(x * scaleX, bright.region.width - 1)
        func light(_ frame: Int) -> Int { Int(bright.samples(frame, row: lightRow, as: S.self)[lightColumn]) }
        clear.removeAll(keepingCapacity: true)
        var brightest: (light: Int, sample: S)?
        for frame in 0..<tile.frames where tile.covers(frame, row: y, columns: x..<x + 1) {
          if frames[frame].isEmpty || !frames[frame][y * width + x] {
            clear.append((frame, light(frame)))
          } else if brightest.map({ light(frame) > $0.light }) ?? true {
            brightest = (light(frame), tile.samples(frame, row: y, as: S.self)[x])
          }
        }
        guard let brightest else { continue }
        // All that is known of what was clipped is that it was as bright at least.
        for frame in marked where frames[frame][y * width + x] {
          let least = light(frame) - reach
          agreed.removeAll(keepingCapacity: true)
          for other in clear where other.light >= least {
            agreed.append((tile.samples(other.frame, row: y, as: S.self)[x], tile.weights[other.frame]))
          }
          let value = agreed.isEmpty ? brightest.sample : consensus(&agreed)
          tile.mutableSamples(frame, row: y, as: S.self)[x] = value
        }
      }
    }
  }

  /// Levels of 8 bits about the median within which samples agree.
  private static let agreement = 16

  /// The weighted mean of those near the median.
  private func consensus<S: Sample>(_ samples: inout [(sample: S, weight: UInt8)]) -> S {
    samples.sort { $0.sample < $1.sample }
    let lower = Int(samples[(samples.count - 1) / 2].sample)
    let upper = Int(samples[samples.count / 2].sample)
    let reach = Self.agreement << (bits - 8)
    var (sum, weights) = (0, 0)
    for (sample, weight) in samples where abs(2 * Int(sample) - lower - upper) <= 2 * reach {
      sum += Int(sample) * Int(weight)
      weights += Int(weight)
    }
    return weights > 0 ? S((2 * sum + weights) / (2 * weights)) : S((lower + upper + 1) / 2)
  }
}
