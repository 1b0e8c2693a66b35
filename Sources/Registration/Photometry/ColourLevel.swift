package import Frames

/// How much colour a picture shows, told by a look at some of its pixels.
struct ColourLevel: Sendable {
  /// Points along either axis at which colours are looked at.
  private static let points = 64
  /// Levels below which a picture is black and white, whatever its planes could hold, and from which on it is in colour. In
  /// between is fog, which agrees with both.
  private static let (grey, colourful) = (0.5, 3.0)

  /// How far the picture's colours lie from grey on average, in levels of 8 bits: the sum of both distances of chroma, or
  /// what red, green and blue span.
  private let level: Double
  /// How far they lie from each other, in the same levels: the root mean square from their mean. A tint has none.
  private let spread: Double
  /// Of the same pixels: luma, or green.
  private let brightness: Double

  init(_ frame: Frame) {
    let planes = frame.planes
    guard planes.count > 1 else {
      (level, spread, brightness) = (0, 0, 0)
      return
    }
    let isRGB = frame.encoding == .rgb
    let middle = planes[1].maximum / 2 + 1
    var (colour, light) = (0, 0)
    var (sums, squares) = ((0, 0), 0)
    for j in 0..<Self.points {
      for i in 0..<Self.points {
        func sample(_ plane: Int) -> Int {
          planes[plane][i * planes[plane].width / Self.points, j * planes[plane].height / Self.points]
        }
        let (first, second, third) = (sample(0), sample(1), sample(2))
        colour +=
          isRGB ? max(first, second, third) - min(first, second, third) : abs(second - middle) + abs(third - middle)
        light += isRGB ? second : first
        let kinds = isRGB ? (first - second, third - second) : (second, third)
        sums = (sums.0 + kinds.0, sums.1 + kinds.1)
        squares += kinds.0 * kinds.0 + kinds.1 * kinds.1
      }
    }
    let count = Double(Self.points * Self.points)
    let means = (Double(sums.0) / count, Double(sums.1) / count)
    let variance = Double(squares) / count - means.0 * means.0 - means.1 * means.1
    level = Double(colour >> (frame.bits - 8)) / count
    brightness = Double(light >> (frame.bits - 8)) / count
    spread = max(variance, 0).squareRoot() / Double(1 << (frame.bits - 8))
  }

  /// Whether there are colours rather than none.
  var isColour: Bool { level >= Self.grey }

  /// Whether one of the two is black and white and the other in colour, as cameras and editors store one among others.
  func differsInKind(from other: ColourLevel) -> Bool {
    min(level, other.level) < Self.grey && max(level, other.level) >= Self.colourful
  }

  /// How many times as far apart the colours are as another's, if the other were as bright; nil where neither is colourful.
  func strength(beside other: ColourLevel) -> Double? {
    let own = spread * max(other.brightness, 1) / max(brightness, 1)
    guard max(own, other.spread) >= Self.colourful else { return nil }
    return max(own, Self.grey) / max(other.spread, Self.grey)
  }
}

extension Frame {
  /// Whether one of the two is black and white and the other in colour.
  package func differsInColour(from other: Frame) -> Bool {
    ColourLevel(self).differsInKind(from: ColourLevel(other))
  }
}
