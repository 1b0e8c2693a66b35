import Frames

/// Red, green, blue in levels of 255.
typealias Color = SIMD3<Double>

/// A picture of the scene at several pixels per unit, to be photographed.
struct Canvas {
  /// The part of the scene that is painted, in units.
  let bounds: Region
  /// Pixels per unit.
  let density: Int
  let width: Int
  let height: Int
  private var pixels: [SIMD3<Float>]

  init(bounds: Region, density: Int = 3) {
    self.bounds = bounds
    self.density = density
    width = bounds.width * density
    height = bounds.height * density
    pixels = Array(repeating: .zero, count: width * height)
  }

  /// Paints every pixel of `region` (in units) with the colour at its place, or leaves it where that is nil.
  mutating func paint(_ region: Region? = nil, _ color: (Point) -> Color?) {
    change(region ?? bounds) { place, pixel in
      if let value = color(place) { pixel = SIMD3<Float>(value) }
    }
  }

  /// Hands over every pixel of `region` and its place, in units.
  private mutating func change(_ region: Region, _ change: (Point, inout SIMD3<Float>) -> Void) {
    let area = region.intersection(bounds)
    let step = 1 / Double(density)
    for y in (area.y - bounds.y) * density..<(area.maxY - bounds.y) * density {
      for x in (area.x - bounds.x) * density..<(area.maxX - bounds.x) * density {
        let place = Point(
          x: Double(bounds.x) + (Double(x) + 0.5) * step, y: Double(bounds.y) + (Double(y) + 0.5) * step)
        change(place, &pixels[y * width + x])
      }
    }
  }

  /// Darkens what lies in `region`: the factor at each place, 1 to leave it.
  mutating func shade(_ region: Region, _ factor: (Point) -> Double) {
    change(region) { place, pixel in pixel = SIMD3<Float>(Color(pixel) * factor(place)) }
  }

  /// The colour at a place in units, linear between pixels; beyond the border, that of the border.
  func color(at place: Point) -> Color {
    let x = min(max((place.x - Double(bounds.x)) * Double(density) - 0.5, 0), Double(width) - 1.001)
    let y = min(max((place.y - Double(bounds.y)) * Double(density) - 0.5, 0), Double(height) - 1.001)
    let (i, j) = (Int(x), Int(y))
    let (u, v) = (Float(x - Double(i)), Float(y - Double(j)))
    let top = pixels[j * width + i] * (1 - u) + pixels[j * width + i + 1] * u
    let bottom = pixels[(j + 1) * width + i] * (1 - u) + pixels[(j + 1) * width + i + 1] * u
    return Color(top * (1 - v) + bottom * v)
  }
}
