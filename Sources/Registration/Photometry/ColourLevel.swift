package import Frames

/// How much colour a picture shows, told by a look at some of its pixels.
struct ColourLevel: Sendable {
  /// Points along either axis at which colours are looked at.
  private static let points = 64
  /// Levels below which a picture is black and white, whatever its planes could hold, and from which on it is in colour. In
  /// between is fog, which agrees with both.
  private static let (grey, colourful) = (0.5, 3.0)
  /// Levels that one place adds at most: somebody in bright clothes makes no picture colourful.
  private static let mostOfAPlace = 20.0

  /// How far the picture's colours lie from grey on average, in levels of 8 bits: the sum of both distances of chroma, or
  /// what red, green and blue span.
  private let level: Double
  /// How far they lie from each other, in the same levels: the root mean square from their mean. A tint has none.
  private let spread: Double
  /// Of the same pixels: luma, or green.
  private let brightness: Double

  init(_ frame: Frame) {
    let places = Self.places(in: frame)
    guard !places.isEmpty else {
      (level, spread, brightness) = (0, 0, 0)
      return
    }
    level = Self.mean(places) { place in
      let (a, b) = place.kinds
      return frame.encoding == .rgb ? max(a, b, 0) - min(a, b, 0) : abs(a) + abs(b)
    }
    brightness = Self.mean(places, \.light)
    let means = (Self.mean(places, \.kinds.0), Self.mean(places, \.kinds.1))
    let squares = Self.mean(places) { $0.kinds.0 * $0.kinds.0 + $0.kinds.1 * $0.kinds.1 }
    spread = max(squares - means.0 * means.0 - means.1 * means.1, 0).squareRoot()
  }

  private static func mean(_ places: [Place], _ value: (Place) -> Double) -> Double {
    places.reduce(0) { $0 + value($1) } / Double(places.count)
  }

  /// A pixel, in levels of 8 bits.
  private struct Place {
    /// Luma, or green.
    var light: Double
    /// Both distances of chroma from grey, or of red and blue from green.
    var kinds: (Double, Double)
  }

  /// Pixels all over a picture; none of one without colours.
  private static func places(in frame: Frame) -> [Place] {
    let planes = frame.planes
    guard planes.count > 1 else { return [] }
    let unit = Double(1 << (frame.bits - 8))
    let middle = planes[1].maximum / 2 + 1
    return (0..<points * points).map { index in
      func sample(_ plane: Int) -> Int {
        planes[plane][index % points * planes[plane].width / points, index / points * planes[plane].height / points]
      }
      let (first, second, third) = (sample(0), sample(1), sample(2))
      func place(_ light: Int, _ a: Int, _ b: Int) -> Place {
        Place(light: Double(light) / unit, kinds: (Double(a) / unit, Double(b) / unit))
      }
      return frame.encoding == .rgb
        ? place(second, first - second, third - second) : place(first, second - middle, third - middle)
    }
  }

  /// Whether there are colours rather than none.
  var isColour: Bool { level >= Self.grey }

  /// Whether a picture is of a scene in colour: whether its colours lie far from what grey is in its own white balance.
  fileprivate static func isOfColours(_ frame: Frame) -> Bool {
    let places = places(in: frame)
    let lit = places.filter { $0.light > 0 }
    // A white balance multiplies: what is grey differs from grey in proportion to its light.
    let tint =
      lit.isEmpty ? (0, 0) : (median(lit.map { $0.kinds.0 / $0.light }), median(lit.map { $0.kinds.1 / $0.light }))
    let own = mean(places) { place in
      min(
        abs(place.kinds.0 - tint.0 * place.light) + abs(place.kinds.1 - tint.1 * place.light), mostOfAPlace)
    }
    return own >= colourful
  }

  /// How many times as far apart the colours are as another's, if the other were as bright; nil where neither is colourful.
  func strength(beside other: ColourLevel) -> Double? {
    let own = spread * max(other.brightness, 1) / max(brightness, 1)
    guard max(own, other.spread) >= Self.colourful else { return nil }
    return max(own, Self.grey) / max(other.spread, Self.grey)
  }
}

extension Frame {
  /// Whether one of the two is black and white and the other in colour, as cameras and editors store one among others.
  package func differsInColour(from other: Frame) -> Bool {
    let isColour = ColourLevel(self).isColour
    guard isColour != ColourLevel(other).isColour else { return false }
    return ColourLevel.isOfColours(isColour ? self : other)
  }
}
