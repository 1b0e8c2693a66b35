import CShimKernels
import Frames
import Resampling

extension SmallPictures {
  /// Samples from here on may be clipped in one of the colours; as a share of white.
  private static let nearlyWhite = 246.0 / 255
  /// Levels by which a frame's white must be darker than the reference's for it to matter which colours it clips.
  private static let leastRoom = 2.0

  /// Where a candidate may be clipped, as `Candidate.clipped` has it; nil for nowhere. Where a frame is brighter
  /// than the reference, be it in places, its white comes out as grey, and what is bright and coloured with less colour and
  /// another one. Where it is darker than elsewhere, what is white elsewhere counts all the same: it says little more about a
  /// sample that it may be clipped, and much that it cannot.
  /// - Parameters:
  ///   - planes: the candidate's.
  ///   - channel: what made brightness of the frame's.
  func clipped(_ planes: [Plane], matchedBy channel: PhotometricMatch.Channel) throws -> Plane? {
    let (nearlyWhite, white) = (level(Self.nearlyWhite), level(1))
    let usual = channel.matched(nearlyWhite)
    let least = min(channel.leastMatched(nearlyWhite), usual)
    let clipsColours = clipsColours(matchedBy: channel)
    let isBright = (0..<size.height).map { y in
      planes[0].withUnsafeRow(y, as: UInt8.self) { row in Double(row.max() ?? 0) >= least }
    }
    guard clipsColours || isBright.contains(true) else { return nil }
    let grid = CellGrid(pictureSize: size)
    let builder = try PlaneBuilder(width: size.width, height: size.height, bits: 8)
    builder.clear()
    for row in 0..<grid.rows {
      let rows = grid.pixels(of: row * grid.columns).rows
      guard clipsColours || isBright[rows].contains(true) else { continue }
      let places = (0..<grid.columns).map { column in
        let middle = grid.middle(of: row * grid.columns + column)
        return Point(x: Double(middle.x * factor), y: Double(middle.y * factor))
      }
      let levels = places.map {
        Int(min(max(min(channel.matched(nearlyWhite, at: $0), usual), 0), 256).rounded(.up))
      }
      if clipsColours {
        let isBrighter = places.map { channel.matched(white, at: $0) <= white - Self.leastRoom }
        for y in rows { markColours(planes, row: y, from: levels, where: isBrighter, in: builder) }
      }
      for y in rows where isBright[y] {
        let target = builder.row(y, as: UInt8.self)
        planes[0].withUnsafeRow(y, as: UInt8.self) { row in
          for x in row.indices where Int(row[x]) >= levels[x / CellGrid.side] { target[x] = Candidate.whollyClipped }
        }
      }
    }
    return builder.finish()
  }

  /// Whether a frame is brighter than the reference anywhere, so that it may clip colours that the reference does not.
  func clipsColours(matchedBy channel: PhotometricMatch.Channel) -> Bool {
    planeOrder.count == 3 && channel.leastMatched(level(1)) <= level(1) - Self.leastRoom
  }

  /// A level of brightness, in 8 bits, that is a share of white.
  private func level(_ share: Double) -> Double {
    Double(CodeScale(encoding: frames[0].frame.encoding, plane: planeOrder[0], bits: 8).code(share))
  }

  /// Marks the samples of a row whose brightest colour may be clipped with the level from which on it may be.
  /// - Parameters:
  ///   - levels: by cell.
  ///   - isBrighter: by cell, whether the frame is brighter there than the reference.
  private func markColours(
    _ planes: [Plane], row y: Int, from levels: [Int], where isBrighter: [Bool], in marks: PlaneBuilder
  ) {
    let target = marks.row(y, as: UInt8.self)
    let brightest = brightestColours(planes, row: y)
    for x in brightest.indices {
      let cell = x / CellGrid.side
      guard isBrighter[cell], Int(brightest[x]) >= levels[cell] else { continue }
      target[x] = UInt8(min(max(levels[cell], 1), Int(Candidate.whollyClipped) - 1))
    }
  }

  /// The brightest of red, green and blue at the samples of a row, in levels of the first plane.
  func brightestColours(_ planes: [Plane], row y: Int) -> [Int32] {
    planes[0].withUnsafeRow(y, as: UInt8.self) { light in
      planes[1].withUnsafeRow(y, as: UInt8.self) { blue in
        planes[2].withUnsafeRow(y, as: UInt8.self) { red in
          guard let chroma else { return light.indices.map { Int32(max(light[$0], blue[$0], red[$0])) } }
          var brightest = light.map { Int32($0) }
          cs_raise_to_brightest(&brightest, blue.baseAddress, red.baseAddress, 1, chroma, Int32(brightest.count))
          return brightest
        }
      }
    }
  }
}
