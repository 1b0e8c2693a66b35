/// How a stored picture must be turned to stand upright: the values of the EXIF tag Orientation (CIPA DC-008).
public enum Orientation: Int, Sendable, Hashable, Codable {
  case up = 1
  case mirroredHorizontally = 2
  case rotated180 = 3
  case mirroredVertically = 4
  /// Mirror along the main diagonal.
  case transposed = 5
  /// Rotate 90 degrees clockwise.
  case rotated90 = 6
  /// Mirror along the other diagonal.
  case transversed = 7
  /// Rotate 90 degrees counter-clockwise.
  case rotated270 = 8

  /// Whether width and height change places.
  package var swapsAxes: Bool { rawValue >= 5 }

  /// Mirrored along x (after the axes were swapped, where they are).
  var flipsX: Bool { [.mirroredHorizontally, .rotated180, .rotated90, .transversed].contains(self) }
  /// Mirrored along y (after the axes were swapped, where they are).
  var flipsY: Bool { [.rotated180, .mirroredVertically, .transversed, .rotated270].contains(self) }
}

extension Size {
  /// The size of a picture of this one that is turned upright.
  package func oriented(_ orientation: Orientation) -> Size {
    orientation.swapsAxes ? Size(width: height, height: width) : self
  }
}

extension Region {
  /// Where this part of a picture of stored size `size` lies once the picture has been turned upright.
  package func oriented(_ orientation: Orientation, storedSize size: Size) -> Region {
    let upright = size.oriented(orientation)
    var region = orientation.swapsAxes ? Region(x: y, y: x, width: height, height: width) : self
    if orientation.flipsX { region.x = upright.width - region.maxX }
    if orientation.flipsY { region.y = upright.height - region.maxY }
    return region
  }
}

extension PlaneGrid {
  /// Where the samples sit once a picture of stored size `size` has been turned upright.
  package func oriented(_ orientation: Orientation, storedSize size: Size) -> PlaneGrid {
    let plane = planeSize(for: size).oriented(orientation)
    let upright = size.oriented(orientation)
    var grid = self
    if orientation.swapsAxes {
      grid = PlaneGrid(scaleX: scaleY, scaleY: scaleX, offsetX: offsetY, offsetY: offsetX)
    }
    if orientation.flipsX {
      grid.offsetX = Double(upright.width - 1) - Double(grid.scaleX * (plane.width - 1)) - grid.offsetX
    }
    if orientation.flipsY {
      grid.offsetY = Double(upright.height - 1) - Double(grid.scaleY * (plane.height - 1)) - grid.offsetY
    }
    return grid
  }
}

extension Plane {
  /// The plane turned upright. Costs one pass over the samples, and none for `.up`.
  /// - Throws: `AllocationError`.
  package func oriented(_ orientation: Orientation, budget: MemoryBudget? = nil) throws(AllocationError) -> Plane {
    guard orientation != .up else { return self }
    let size = Size(width: width, height: height).oriented(orientation)
    let target = try PlaneBuilder(width: size.width, height: size.height, bits: bits, budget: budget)
    if bits > 8 {
      turn(into: target, orientation, UInt16.self)
    } else {
      turn(into: target, orientation, UInt8.self)
    }
    return target.finish()
  }

  private func turn<S: Sample>(into target: PlaneBuilder, _ orientation: Orientation, _ type: S.Type) {
    // Steps, in samples of the source, for one step along x and along y of the target.
    let rowStep = stride / MemoryLayout<S>.size
    let (columns, rows) = (target.width, target.height)
    var stepX = orientation.swapsAxes ? rowStep : 1
    var stepY = orientation.swapsAxes ? 1 : rowStep
    var origin = 0
    if orientation.flipsX {
      origin += stepX * (columns - 1)
      stepX = -stepX
    }
    if orientation.flipsY {
      origin += stepY * (rows - 1)
      stepY = -stepY
    }
    let source = base.assumingMemoryBound(to: S.self) + origin
    // Square blocks keep both sides of a transposition in the first-level cache.
    let block = 64
    for top in Swift.stride(from: 0, to: rows, by: block) {
      for left in Swift.stride(from: 0, to: columns, by: block) {
        for y in top..<min(top + block, rows) {
          let row = target.row(y, as: S.self)
          let from = source + y * stepY
          for x in left..<min(left + block, columns) { row[x] = from[x * stepX] }
        }
      }
    }
  }
}
