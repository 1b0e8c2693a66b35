/// A rectangle of pixels: columns `x..<x + width`, rows `y..<y + height`.
public struct Region: Sendable, Hashable, Codable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  public var maxX: Int { x + width }
  public var maxY: Int { y + height }
  public var area: Int { width * height }
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  public func intersection(_ other: Region) -> Region {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return Region(
      x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
  }

  /// The smallest region that holds both.
  package func union(_ other: Region) -> Region {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return Region(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
  }

  public func contains(_ other: Region) -> Bool {
    other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
  }

  public var size: Size { Size(width: width, height: height) }
}
