/// A position in pixels; the centre of the top left pixel is (0, 0).
public struct Point: Sendable, Hashable {
  /// Pixels to the right.
  public var x: Double
  /// Pixels down.
  public var y: Double

  /// The point at (x, y).
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// In pixels.
  public func distance(to other: Point) -> Double {
    ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
  }
}
