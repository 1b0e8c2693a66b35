package import Frames
import Glibc

extension PhotometricMatcher {
  /// Levels of 8 bits, from the usual colour of the picture, from which on a place counts as coloured ...
  private static let coloured = 4.0
  /// ... the share of places that must be so that one can tell ...
  private static let leastColoured = 0.3
  /// ... and how many places there must be at all.
  private static let fewestPlaces = 60
  /// Colours stronger or weaker by more than this are another look, not another light.
  private static let mostStrength = 2.0
  /// What is taken for alike, at a first look and at a place.
  private static let alike = 1.5
  /// The share of coloured places that a filter leaves alike at most: a crowd in grey hides colours, and the rest are as they
  /// were.
  private static let mostAlike = 0.2

  /// How many times as strong the frame's colours are as the reference's where both show the same, as a filter leaves them;
  /// nil where they are alike, or too little of the picture is coloured to tell.
  /// - Parameters:
  ///   - frame: with samples of the reference's kind.
  ///   - alignment: how it lies on the reference.
  package func otherStrength(of frame: Frame, on reference: Frame, alignment: Alignment) -> Double? {
    guard frame.planes.count == 3, reference.encoding == frame.encoding, let back = alignment.homography.inverse,
      let guess = ColourLevel(frame).strength(beside: ColourLevel(reference)), abs(log(guess)) > log(Self.alike)
    else { return nil }
    let places = places(in: reference.size, back: back, mesh: alignment.mesh)
    var (lights, colours): ([Pair], [Int: PlaceColours]) = ([], [:])
    for pairs in pairsOfAllPlanes(frame, reference, places: places) {
      let (first, second, third) = (pairs[0], pairs[1], pairs[2])
      var light = first
      if frame.encoding == .rgb {
        light.frame = Self.luma(first.frame, second.frame, third.frame)
        light.reference = Self.luma(first.reference, second.reference, third.reference)
        colours[light.index] = PlaceColours(
          frame: (first.frame - light.frame, third.frame - light.frame),
          reference: (first.reference - light.reference, third.reference - light.reference))
      } else {
        colours[light.index] = PlaceColours(
          frame: (second.frame, third.frame), reference: (second.reference, third.reference))
      }
      lights.append(light)
    }
    let range = Double(reference.planes[0].maximum + 1)
    let channel = light(lights, range: range, size: reference.size)
    // Whoever stands there in one of them has his own colours.
    for index in unlike(lights, after: channel, range: range) { colours[index] = nil }
    guard colours.count >= Self.fewestPlaces else { return nil }
    let strengths = Self.strengths(lights.compactMap { colours[$0.index] }, gain: channel.gain, range: range)
    let alike = strengths.count { abs(log($0)) < log(Self.alike) }
    guard Double(strengths.count) >= Self.leastColoured * Double(colours.count),
      Double(alike) <= Self.mostAlike * Double(strengths.count)
    else { return nil }
    let strength = median(strengths)
    return abs(log(strength)) > log(Self.mostStrength) ? strength : nil
  }

  private static func luma(_ red: Double, _ green: Double, _ blue: Double) -> Double {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  /// What two pictures have of two kinds of colour at one place.
  private struct PlaceColours {
    var frame: (Double, Double)
    var reference: (Double, Double)
  }

  /// By how much the frame's colours are stronger, at each place that is coloured in one of the pictures. Colours count from the
  /// pictures' usual ones, so that another white balance changes nothing.
  private static func strengths(_ places: [PlaceColours], gain: Double, range: Double) -> [Double] {
    func distances(_ colours: [(Double, Double)]) -> [Double] {
      let usual = (median(colours.map(\.0)), median(colours.map(\.1)))
      return colours.map { hypot($0.0 - usual.0, $0.1 - usual.1) }
    }
    let level = range / 256
    return zip(distances(places.map(\.frame)), distances(places.map(\.reference))).compactMap { own, other in
      let own = own * gain
      guard max(own, other) >= coloured * level else { return nil }
      return max(own, level / 2) / max(other, level / 2)
    }
  }
}
