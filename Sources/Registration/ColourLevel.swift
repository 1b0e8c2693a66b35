package import Frames

extension Frame {
  /// Points along either axis at which colours are looked at.
  private static let points = 64
  /// Levels below which a picture is black and white, whatever its planes could hold, and from which on it is in colour. In
  /// between is fog, which agrees with both.
  private static let (grey, colourful) = (0.5, 3.0)

  /// How far the picture's colours lie from grey on average, in levels of 8 bits: the sum of both distances of chroma, or
  /// what red, green and blue span.
  private var colourLevel: Double {
    guard encoding.planeCount > 1 else { return 0 }
    let middle = planes[1].maximum / 2 + 1
    var sum = 0
    for j in 0..<Self.points {
      for i in 0..<Self.points {
        func sample(_ plane: Int) -> Int {
          planes[plane][i * planes[plane].width / Self.points, j * planes[plane].height / Self.points]
        }
        let (first, second, third) = (sample(0), sample(1), sample(2))
        sum +=
          encoding == .rgb
          ? max(first, second, third) - min(first, second, third) : abs(second - middle) + abs(third - middle)
      }
    }
    return Double(sum >> (bits - 8)) / Double(Self.points * Self.points)
  }

  /// Whether it shows colours rather than none.
  var hasColour: Bool { colourLevel >= Self.grey }

  /// Whether one of the two is black and white and the other in colour, as cameras and editors store one among others.
  package func differsInColour(from other: Frame) -> Bool {
    let (one, another) = (colourLevel, other.colourLevel)
    return min(one, another) < Self.grey && max(one, another) >= Self.colourful
  }
}
