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
    var open = Set<Int>()
    for row in crop.y / cell...min((crop.maxY - 1) / cell, rows - 1) {
      for column in crop.x / cell...min((crop.maxX - 1) / cell, columns - 1)
      where unresolved[row * columns + column] {
        open.insert(row * columns + column)
      }
    }
    let share = min(Double(open.count * cell * cell) / Double(crop.area), 1)
    var places = 0
    while let seed = open.first {
      places += 1
      var reached = [seed]
      open.remove(seed)
      while let cell = reached.popLast() {
        for neighbour in [cell - 1, cell + 1, cell - columns, cell + columns] where open.remove(neighbour) != nil {
          reached.append(neighbour)
        }
      }
    }
    return (share, places)
  }
}
