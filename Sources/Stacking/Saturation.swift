import Frames

/// Keeps samples that were clipped in the camera from outvoting others: of a frame that is brighter than the reference,
/// white comes out as grey once the exposures are matched.
///
/// Clipped samples take the mean of what most of the others agree on that are as bright at least, so that they change nothing
/// but speak against what is darker; where there are none, what the frame shows that clips last, which is nearest to what was
/// there. That it is one frame for all of a place matters: phones render a bright sky otherwise in every photo, and where the
/// brightest of them counted, whether a sample was clipped would show.
struct Saturation: Sendable {
  private let levels: [FrameLevels]
  /// By plane, the frames that may be clipped, that which clips last first.
  private let lastFirst: [[Int]]
  private let hasChroma: Bool
  private let bits: Int
  /// Of the planes.
  private let grids: [PlaneGrid]

  /// Levels of 8 bits from which on a camera's samples may be clipped; JPEG's noise leaves few at 255.
  private static let clipped = 250.0
  /// Where a frame is brighter than the reference by less, what is clipped is nearly right ...
  private static let leastGain = 0.97
  /// ... and from here on not to be believed at all.
  private static let worthlessGain = 0.87

  init(_ request: StackRequest) {
    let frames = request.frames
    bits = frames[0].frame.bits
    grids = request.grids
    let hasChroma = if case .yCbCr = frames[0].frame.encoding { true } else { false }
    self.hasChroma = hasChroma
    let levels = frames.enumerated().compactMap { index, registered -> FrameLevels? in
      let match = registered.alignment.photometric
      let unit = Double(1 << (registered.frame.bits - 8))
      let light = hasChroma ? [match.channels[0]] : match.channels
      guard let least = light.map(\.leastGain).min(), least < Self.leastGain else { return nil }
      let doubt = (Self.leastGain - least) / (Self.leastGain - Self.worthlessGain)
      return FrameLevels(
        frame: index, planes: light.map { Int($0.leastMatched(Self.clipped * unit)) },
        doubt: Int((min(doubt, 1) * Double(ClippedSamples.certain)).rounded()))
    }
    self.levels = levels
    lastFirst = (levels.first?.planes.indices ?? 0..<0).map { plane in
      levels.sorted { ($1.planes[plane], $0.frame) < ($0.planes[plane], $1.frame) }.map(\.frame)
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
        var marks = ClippedSamples(tile, bits: bits)
        for frame in levels {
          for y in 0..<tile.region.height {
            let row = tile.samples(frame.frame, row: y, as: S.self)
            for x in 0..<tile.region.width where Int(row[x]) >= frame.planes[plane] { marks.set(frame, x: x, y: y) }
          }
        }
        marks.repair(tile, lastFirst: lastFirst[plane], as: S.self)
      }
    }
  }

  /// Luma hides that red or blue is clipped, so that all three planes are marked where one colour may be.
  private func repairJointly<S: Sample>(_ tiles: [WarpedTile], as type: S.Type) {
    let (luma, chroma) = (tiles[0], tiles[1])
    let (scaleX, scaleY) = (grids[1].scaleX, grids[1].scaleY)
    var (lumaMarks, chromaMarks) = (ClippedSamples(luma, bits: bits), ClippedSamples(chroma, bits: bits))
    let neutral = 1 << (bits - 1)
    for levels in levels {
      let (frame, level) = (levels.frame, levels.planes[0])
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
          chromaMarks.set(levels, x: cx, y: cy)
          for y in rows {
            for x in columns { lumaMarks.set(levels, x: x, y: y) }
          }
        }
      }
    }
    // Luma tells who is as bright, so that it comes last.
    for tile in tiles[1...] {
      chromaMarks.repair(tile, lastFirst: lastFirst[0], as: S.self, byLight: (luma, scaleX, scaleY))
    }
    lumaMarks.repair(luma, lastFirst: lastFirst[0], as: S.self)
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
