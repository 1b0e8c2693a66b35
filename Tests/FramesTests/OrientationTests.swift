import Frames
import Testing

struct OrientationTests {
  /// Where the sample (x, y) of the upright picture is stored, straight from the EXIF standard's words.
  func stored(_ x: Int, _ y: Int, _ orientation: Orientation, width: Int, height: Int) -> (Int, Int) {
    switch orientation {
    case .up: (x, y)
    case .mirroredHorizontally: (width - 1 - x, y)
    case .rotated180: (width - 1 - x, height - 1 - y)
    case .mirroredVertically: (x, height - 1 - y)
    case .transposed: (y, x)
    case .rotated90: (y, height - 1 - x)
    case .transversed: (width - 1 - y, height - 1 - x)
    case .rotated270: (width - 1 - y, x)
    }
  }

  @Test(arguments: 1...8, [8, 16])
  func turnsSamples(value: Int, bits: Int) throws {
    let orientation = try #require(Orientation(rawValue: value))
    let (width, height) = (131, 70)
    let plane = try Plane(width: width, height: height, bits: bits) { x, y in (x * 7 + y * 31) % 251 }
    let upright = try plane.oriented(orientation)
    #expect(
      Size(width: upright.width, height: upright.height) == Size(width: width, height: height).oriented(orientation))
    for y in stride(from: 0, to: upright.height, by: 3) {
      for x in 0..<upright.width {
        let (u, v) = stored(x, y, orientation, width: width, height: height)
        #expect(upright[x, y] == plane[u, v])
      }
    }
  }

  /// A chroma sample must keep its place among the luma pixels, also where the size is odd.
  @Test(arguments: 1...8)
  func turnsGrids(value: Int) throws {
    let orientation = try #require(Orientation(rawValue: value))
    let size = Size(width: 13, height: 8)
    for grid in [PlaneGrid(scaleX: 2, scaleY: 2), PlaneGrid(scaleX: 2, scaleY: 1, offsetX: 0, offsetY: 0)] {
      let turned = grid.oriented(orientation, storedSize: size)
      let plane = grid.planeSize(for: size)
      let upright = size.oriented(orientation)
      for y in 0..<plane.oriented(orientation).height {
        for x in 0..<plane.oriented(orientation).width {
          let (u, v) = stored(x, y, orientation, width: plane.width, height: plane.height)
          let luma = Point(
            x: Double(grid.scaleX * u) + grid.offsetX, y: Double(grid.scaleY * v) + grid.offsetY)
          let here = Point(
            x: Double(turned.scaleX * x) + turned.offsetX, y: Double(turned.scaleY * y) + turned.offsetY)
          #expect(place(here, orientation, upright: upright, stored: size).distance(to: luma) < 1e-9)
        }
      }
    }
  }

  /// The stored position of an upright position, for positions between pixels too.
  func place(_ p: Point, _ orientation: Orientation, upright: Size, stored: Size) -> Point {
    let (w, h) = (Double(stored.width - 1), Double(stored.height - 1))
    return switch orientation {
    case .up: p
    case .mirroredHorizontally: Point(x: w - p.x, y: p.y)
    case .rotated180: Point(x: w - p.x, y: h - p.y)
    case .mirroredVertically: Point(x: p.x, y: h - p.y)
    case .transposed: Point(x: p.y, y: p.x)
    case .rotated90: Point(x: p.y, y: h - p.x)
    case .transversed: Point(x: w - p.y, y: h - p.x)
    case .rotated270: Point(x: w - p.y, y: p.x)
    }
  }
}
