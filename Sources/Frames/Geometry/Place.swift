/// A part of a picture that somebody points at, in that picture's pixels.
public enum Place: Sendable, Hashable {
  /// Whatever stands out at this pixel.
  case point(Point)
  /// What a brush went over.
  case stroke(Stroke)
  /// Where a picture of the same size is white.
  case mask(PlaceMask)
}

/// The path of a round brush.
public struct Stroke: Sendable, Hashable {
  /// Where its centre went, joined by straight lines; a single one is a dab.
  public var points: [Point]
  /// Of the brush, in pixels.
  public var radius: Double

  /// A brush of a radius that went along `points`.
  public init(points: [Point], radius: Double) {
    self.points = points
    self.radius = radius
  }

  /// Whether the brush went over a pixel.
  package func covers(_ pixel: Point) -> Bool {
    guard let first = points.first else { return false }
    guard points.count > 1 else { return first.distance(to: pixel) <= radius }
    return zip(points, points.dropFirst()).contains { pixel.distance(from: $0, to: $1) <= radius }
  }
}

/// A picture whose bright pixels are meant.
public struct PlaceMask: Sendable, Hashable {
  /// Its file's path, or what the caller called it.
  public let name: String
  /// Must be that of the picture in which a place is meant.
  public let size: Size
  /// Row by row.
  private let white: [Bool]

  /// White is what is brighter than the middle of the range in the frame's first plane (its green one in colour).
  public init(_ frame: Frame) {
    let plane = frame.planes[frame.encoding == .rgb ? 1 : 0]
    name = frame.name
    size = frame.size
    white = (0..<plane.height).flatMap { y in (0..<plane.width).map { plane[$0, y] > plane.maximum / 2 } }
  }

  /// Whether a pixel is meant.
  package func isWhite(_ x: Int, _ y: Int) -> Bool { white[y * size.width + x] }
}

extension Point {
  /// To the nearest point of a straight line between two points.
  fileprivate func distance(from start: Point, to end: Point) -> Double {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let length = dx * dx + dy * dy
    guard length > 0 else { return distance(to: start) }
    let along = min(max(((x - start.x) * dx + (y - start.y) * dy) / length, 0), 1)
    return distance(to: Point(x: start.x + along * dx, y: start.y + along * dy))
  }
}
