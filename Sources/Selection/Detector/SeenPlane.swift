import Frames

/// How surely somebody is seen at each pixel of a frame, 0...255.
extension PlaneBuilder {
  /// Pixels by which boxes are grown: they tend to cut hands and feet off.
  private static let margin = 3
  /// And hundredths of their height or width, whichever is more, beyond which an outline is somebody else's.
  private static let reach = 8
  /// Hundredths of a box that an outline fills at least, or else the network knows nothing of what is in it: it outlines
  /// people alone.
  private static let leastFilled = 30

  /// Makes samples in somebody's box at least as large as it is certain that he is seen, and in its corners half as large:
  /// whoever stands there seldom fills what lies outside the largest ellipse.
  private func raise(_ somebody: Detection) {
    let box = somebody.box.grown(by: Self.margin)
    let (part, value) = (box.intersection(bounds), somebody.certainty)
    for y in part.rows {
      // From -1 at the top to 1 at the bottom, and half the ellipse's width there.
      let height = Double(2 * (y - box.y) + 1) / Double(box.height) - 1
      let half = (1 - height * height).squareRoot() * Double(box.width) / 2
      let middle = Double(box.x) + Double(box.width) / 2
      raise(part, y) { x in abs(Double(x) + 0.5 - middle) <= half ? value : value / 2 }
    }
  }

  /// Makes samples within somebody's outline at least as large as it is certain that he is seen there; those of his box, where
  /// the outline is none of his, or there is none.
  func raise(_ somebody: Detection, _ outline: Outline?) {
    guard let outline else { return raise(somebody) }
    let longer = max(somebody.box.width, somebody.box.height)
    let part = somebody.box.grown(by: Self.margin + longer * Self.reach / 100).intersection(bounds)
    let inner = somebody.box.intersection(bounds)
    let certainty = outline.samples(in: part)
    var filled = 0
    for y in inner.rows {
      for x in inner.columns { filled += Int(certainty[(y - part.y) * part.width + x - part.x]) }
    }
    guard filled * 100 >= Self.leastFilled * 255 * inner.area else { return raise(somebody) }
    let value = somebody.certainty
    for y in part.rows {
      let first = (y - part.y) * part.width - part.x
      raise(part, y) { x in value * Int(certainty[first + x]) / 255 }
    }
  }

  private var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }

  /// A part of a row.
  private func raise(_ part: Region, _ y: Int, to value: (Int) -> Int) {
    let row = row(y, as: UInt8.self)
    for x in part.columns { row[x] = max(row[x], UInt8(value(x))) }
  }
}

extension Detection {
  /// 0...255.
  fileprivate var certainty: Int { Int(min(max(score, 0), 1) * 255) }
}

extension Region {
  fileprivate func grown(by margin: Int) -> Region {
    Region(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
  }
}
