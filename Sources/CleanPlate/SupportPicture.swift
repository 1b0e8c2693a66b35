public import Frames

extension SelectionPlan {
  /// How many of the compared frames back each pixel of the plate, as a grey picture: white where all do, black where
  /// nobody is known to show the place free.
  /// - Parameter crop: the part of the reference that the plate shows.
  /// - Throws: `AllocationError`.
  public func supportPicture(crop: Region) throws(AllocationError) -> Frame {
    let plane = try Plane(width: crop.width, height: crop.height) { x, y in
      let cell = index(x: x + crop.x, y: y + crop.y)
      return unresolved[cell] ? 0 : max(255 * min(Int(support[cell]), compared) / compared, 1)
    }
    return Frame(planes: [plane], encoding: .grey(.full), name: "support")
  }

  /// The share of the plate where somebody is left as far as can be told, and how many places that are.
  func unresolved(in crop: Region) -> (share: Double, places: Int) {
    let open = unresolvedCells(in: crop)
    let share = min(Double(open.isSet.count(where: \.self) * cell * cell) / Double(crop.area), 1)
    return (share, open.regions(of: true).count)
  }

  /// The places where somebody is left as far as can be told, the largest first: what encloses each, in pixels of the
  /// reference.
  /// - Parameter crop: the part of the reference that the plate shows.
  public func unresolvedPlaces(in crop: Region) -> [Region] {
    unresolvedCells(in: crop).regions(of: true).sorted { $0.count > $1.count }.map { place in
      let (xs, ys) = (place.map { $0 % columns }, place.map { $0 / columns })
      let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
      let around = Region(
        x: left * cell, y: top * cell, width: ((xs.max() ?? left) - left + 1) * cell,
        height: ((ys.max() ?? top) - top + 1) * cell)
      return around.intersection(crop)
    }
  }

  /// The unresolved cells that a crop shows a part of.
  func unresolvedCells(in crop: Region) -> RegionMask {
    var open = RegionMask(size: Size(width: columns, height: rows))
    for row in crop.y / cell...min((crop.maxY - 1) / cell, rows - 1) {
      for column in crop.x / cell...min((crop.maxX - 1) / cell, columns - 1)
      where unresolved[row * columns + column] {
        open.isSet[row * columns + column] = true
      }
    }
    return open
  }
}
