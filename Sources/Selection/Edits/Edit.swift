package import Frames

/// What a person knows better about a place of the reference.
package enum Edit: Sendable, Hashable {
  /// The place comes from this frame.
  case take(frame: RegisteredIndex, Place)
  /// Whoever this frame shows there goes.
  case remove(from: RegisteredIndex, Place)
  /// The place comes from the reference; a point means whoever a detector sees there.
  case keep(Place)

  var place: Place {
    switch self {
    case .take(_, let place), .remove(_, let place), .keep(let place): place
    }
  }

  /// The frame that the edit names.
  var frame: RegisteredIndex? {
    switch self {
    case .take(let frame, _), .remove(let frame, _): frame
    case .keep: nil
    }
  }
}

extension Place {
  /// What messages call the mask; nil where there is none.
  var maskName: String? {
    if case .mask(let mask) = self { mask.name } else { nil }
  }

  /// - Throws: `EditError` when the place is none in a picture of this size.
  func check(size: Size) throws(EditError) {
    switch self {
    case .point(let point):
      let isInside = point.x >= 0 && point.y >= 0 && point.x < Double(size.width) && point.y < Double(size.height)
      guard isInside else { throw .outside(point, reference: size) }
    case .stroke(let stroke):
      guard !stroke.points.isEmpty else { throw .empty(mask: nil) }
    case .mask(let mask):
      guard mask.size == size else { throw .maskSize(mask: mask.name, mask.size, reference: size) }
    }
  }

  /// The cells that a stroke or a mask touches; none for a point, which has no extent of its own.
  func cells(of pictures: SmallPictures, in grid: CellGrid) -> RegionMask {
    var cells = RegionMask(size: grid.size)
    switch self {
    case .point: break
    case .stroke(let stroke):
      for row in 0..<grid.rows {
        for column in 0..<grid.columns {
          let half = Double(pictures.cell - 1) / 2
          let centre = Point(
            x: Double(column * pictures.cell) + half, y: Double(row * pictures.cell) + half)
          // A brush that is finer than a cell takes the cell.
          let wide = Stroke(points: stroke.points, radius: max(stroke.radius, half + 1))
          cells.isSet[row * grid.columns + column] = wide.covers(centre)
        }
      }
    case .mask(let mask):
      for y in 0..<mask.size.height {
        let row = min(y / pictures.cell, grid.rows - 1) * grid.columns
        for x in 0..<mask.size.width where mask.isWhite(x, y) {
          cells.isSet[row + min(x / pictures.cell, grid.columns - 1)] = true
        }
      }
    }
    return cells
  }
}
