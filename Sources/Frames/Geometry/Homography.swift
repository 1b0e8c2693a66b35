/// A plane projective map, 3x3, row-major, scaled so that the last element is 1; pixel centres at integers.
///
/// In an alignment it maps a frame's pixel to the reference's.
public struct Homography: Sendable, Hashable {
  /// The elements, in place: maps are applied to points by the hundred thousand.
  @usableFromInline
  let values: InlineArray<9, Double>

  /// Nine numbers, row-major; `elements[8]` is 1.
  public var elements: [Double] { values.indices.map { values[$0] } }

  /// Moves nothing.
  public static let identity = Homography(1, 0, 0, 0, 1, 0, 0, 0)

  /// Fails when `elements` are not nine finite numbers or the last is zero.
  public init?(elements: [Double]) {
    guard elements.count == 9, elements.allSatisfy(\.isFinite), elements[8] != 0 else { return nil }
    values = InlineArray { elements[$0] / elements[8] }
  }

  /// The first eight elements; the ninth is 1.
  public init(
    _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double, _ g: Double, _ h: Double
  ) {
    values = [a, b, c, d, e, f, g, h, 1]
  }

  /// Moves all points by so many pixels.
  public static func translation(x: Double, y: Double) -> Homography {
    Homography(1, 0, x, 0, 1, y, 0, 0)
  }

  /// Where a point goes; not finite on the horizon.
  @inlinable
  public func callAsFunction(_ p: Point) -> Point {
    let h = values
    let w = h[6] * p.x + h[7] * p.y + 1
    return Point(x: (h[0] * p.x + h[1] * p.y + h[2]) / w, y: (h[3] * p.x + h[4] * p.y + h[5]) / w)
  }

  /// How far in front of the camera the map's result lies, by a measure of its own: positive where a camera can see it.
  @inlinable
  public func depth(at p: Point) -> Double { values[6] * p.x + values[7] * p.y + 1 }

  /// How long a pixel at the middle of a picture of this size becomes.
  package func enlargement(of size: Size) -> Double {
    let depth = depth(at: size.centre)
    return (abs(determinant) / abs(depth * depth * depth)).squareRoot()
  }

  /// Of the matrix.
  public var determinant: Double {
    let h = values
    return h[0] * (h[4] - h[5] * h[7]) - h[1] * (h[3] - h[5] * h[6]) + h[2] * (h[3] * h[7] - h[4] * h[6])
  }

  /// The inverse map, or nil when there is none.
  public var inverse: Homography? {
    let h = values
    let determinant = self.determinant
    guard determinant != 0, determinant.isFinite else { return nil }
    let adjugate = [
      h[4] - h[5] * h[7], h[2] * h[7] - h[1], h[1] * h[5] - h[2] * h[4],
      h[5] * h[6] - h[3], h[0] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
      h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3],
    ]
    return Homography(elements: adjugate)
  }

  /// The map that applies `b` first and then `a`; nil when the product cannot be scaled to a last element of 1.
  public static func * (a: Homography, b: Homography) -> Homography? {
    let (p, q) = (a.values, b.values)
    var product = [Double](repeating: 0, count: 9)
    for row in 0..<3 {
      for column in 0..<3 {
        product[3 * row + column] =
          p[3 * row] * q[column] + p[3 * row + 1] * q[3 + column] + p[3 * row + 2] * q[6 + column]
      }
    }
    return Homography(elements: product)
  }

  /// Mean distance, in pixels, between where `self` and `other` put the corners of a picture.
  package func cornerDistance(to other: Homography, size: Size) -> Double {
    let corners = size.corners
    return corners.map { self($0).distance(to: other($0)) }.reduce(0, +) / Double(corners.count)
  }
}

extension Homography {
  /// Whether all nine elements are equal.
  public static func == (a: Homography, b: Homography) -> Bool { a.elements == b.elements }

  /// Feeds all nine elements.
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension Size {
  /// Where the picture's middle is, pixel centres being at integers.
  package var centre: Point { Point(x: Double(width - 1) / 2, y: Double(height - 1) / 2) }

  /// The centres of the four corner pixels, clockwise from the top left.
  package var corners: [Point] {
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    return [Point(x: 0, y: 0), Point(x: right, y: 0), Point(x: right, y: bottom), Point(x: 0, y: bottom)]
  }
}
