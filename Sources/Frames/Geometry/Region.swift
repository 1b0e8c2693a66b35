/// A rectangle of pixels: columns `x..<x + width`, rows `y..<y + height`.
public struct Region: Sendable, Hashable, Codable {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// The columns from x on and the rows from y on.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The first column behind it.
  public var maxX: Int { x + width }
  /// The first row below it.
  public var maxY: Int { y + height }
  /// `x..<maxX`.
  @inlinable
  package var columns: Range<Int> { x..<maxX }
  /// `y..<maxY`.
  @inlinable
  package var rows: Range<Int> { y..<maxY }
  /// In pixels.
  public var area: Int { width * height }
  /// Whether it holds no pixel.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// What both have in common; empty for nothing.
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

  /// Whether the other lies within it.
  public func contains(_ other: Region) -> Bool {
    other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
  }

  /// Whether a pixel lies within it.
  package func contains(x column: Int, y row: Int) -> Bool {
    column >= x && row >= y && column < maxX && row < maxY
  }

  /// Its width and height.
  public var size: Size { Size(width: width, height: height) }
}
