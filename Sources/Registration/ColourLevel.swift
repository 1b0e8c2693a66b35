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
  /// Of the same pixels: luma, or green.
  private let brightness: Double

  init(_ frame: Frame) {
    let planes = frame.planes
    guard planes.count > 1 else {
      (level, brightness) = (0, 0)
      return
    }
    let isRGB = frame.encoding == .rgb
    let middle = planes[1].maximum / 2 + 1
    var (colour, light) = (0, 0)
    for j in 0..<Self.points {
      for i in 0..<Self.points {
        func sample(_ plane: Int) -> Int {
          planes[plane][i * planes[plane].width / Self.points, j * planes[plane].height / Self.points]
        }
        let (first, second, third) = (sample(0), sample(1), sample(2))
        colour +=
          isRGB ? max(first, second, third) - min(first, second, third) : abs(second - middle) + abs(third - middle)
        light += isRGB ? second : first
      }
    }
    level = Double(colour >> (frame.bits - 8)) / Double(Self.points * Self.points)
    brightness = Double(light >> (frame.bits - 8)) / Double(Self.points * Self.points)
  }

  /// Whether there are colours rather than none.
  var isColour: Bool { level >= Self.grey }

  /// Whether one of the two is black and white and the other in colour, as cameras and editors store one among others.
  func differsInKind(from other: ColourLevel) -> Bool {
    min(level, other.level) < Self.grey && max(level, other.level) >= Self.colourful
  }

  /// How many times as much colour there is as in another, if the other were as bright; nil where neither is colourful.
  func strength(beside other: ColourLevel) -> Double? {
    let own = level * max(other.brightness, 1) / max(brightness, 1)
    guard max(own, other.level) >= Self.colourful else { return nil }
    return own / max(other.level, Self.grey)
  }
}

extension Frame {
  /// Whether one of the two is black and white and the other in colour.
  package func differsInColour(from other: Frame) -> Bool {
    ColourLevel(self).differsInKind(from: ColourLevel(other))
  }
}
