import Frames

extension SmallPictures {
  /// Samples from here on may be clipped in one of the colours.
  private static let nearlyWhite = 246.0

  /// Where a candidate's brightness may be clipped, 255 there and 0 elsewhere; nil for nowhere. Where a frame is brighter
  /// than the reference, be it in places, its white comes out as grey. Where it is darker than elsewhere, what is white
  /// elsewhere counts all the same: it says little more about a sample that it may be clipped, and much that it cannot.
  func clipped(_ brightness: Plane, matchedBy channel: PhotometricMatch.Channel) throws -> Plane? {
    let usual = channel.matched(Self.nearlyWhite)
    let least = min(channel.leastMatched(Self.nearlyWhite), usual)
    let isBright = (0..<size.height).map { y in
      brightness.withUnsafeRow(y, as: UInt8.self) { row in Double(row.max() ?? 0) >= least }
    }
    guard isBright.contains(true) else { return nil }
    let grid = CellGrid(pictureSize: size)
    let builder = try PlaneBuilder(width: size.width, height: size.height, bits: 8)
    builder.clear()
    for row in 0..<grid.rows {
      let rows = grid.pixels(of: row * grid.columns).rows
      guard isBright[rows].contains(true) else { continue }
      let levels = (0..<grid.columns).map { column in
        let middle = grid.middle(of: row * grid.columns + column)
        let white = channel.matched(
          Self.nearlyWhite, at: Point(x: Double(middle.x * factor), y: Double(middle.y * factor)))
        return Int(min(max(min(white, usual), 0), 256).rounded(.up))
      }
      for y in rows {
        let target = builder.row(y, as: UInt8.self)
        brightness.withUnsafeRow(y, as: UInt8.self) { row in
          for x in row.indices where Int(row[x]) >= levels[x / CellGrid.side] { target[x] = 255 }
        }
      }
    }
    return builder.finish()
  }
}
