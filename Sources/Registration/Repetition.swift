import Frames
import ShimSupport

/// How a picture repeats itself, as façades of equal windows do.
///
/// Any motion onto such a picture, followed by one of its periods, is another that explains about as much. At an angle
/// windows are no shift apart: a period has a perspective of its own.
struct Repetition: Sendable {
  /// How much the picture agrees with itself when it is moved, at most: about 1 where it repeats itself all over.
  let agreement: Double
  /// What brings the picture onto itself, in proxy pixels: none, or one, or two that lead to either side.
  let periods: [Homography]

  /// A picture that agrees with itself this much repeats itself.
  private static let least = 0.5
  /// A period agrees this much as well as the best one.
  private static let share = 0.8
  /// Shifts that periods are looked for at.
  private static let peaks = 12
  /// The sine of the angle between two periods at least.
  private static let angle = 0.3

  var isFound: Bool { agreement > Self.least }

  /// - Throws: `ShimError` when memory runs out.
  init(of picture: SmallPicture) throws(ShimError) {
    let itself = Agreement(frame: picture, reference: picture)
    let size = Size(
      width: Int(Double(picture.size.width) * picture.step), height: Int(Double(picture.size.height) * picture.step))
    let centre = size.centre
    let shifts = try itself.peaks(around: .identity, most: 1 + Self.peaks).dropFirst()
    let fitted = shifts.compactMap { peak -> (map: Homography, agreement: Double, shift: Point)? in
      guard let map = DenseFit(agreement: itself).fit(from: peak.map), !itself.isSame(map, .identity) else {
        return nil
      }
      let there = map(centre)
      return (map, itself.correlation(along: map), Point(x: there.x - centre.x, y: there.y - centre.y))
    }
    let best = fitted.map(\.agreement).max() ?? 0
    agreement = max(best, shifts.first?.height ?? 0)
    func length(_ p: Point) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
    let candidates = fitted.filter { $0.agreement > max(Self.least, Self.share * best) && length($0.shift) > 0 }
      .sorted { length($0.shift) < length($1.shift) }
    guard let first = candidates.first else {
      periods = []
      return
    }
    let second = candidates.first {
      let cross = abs(first.shift.x * $0.shift.y - first.shift.y * $0.shift.x)
      return cross > Self.angle * length(first.shift) * length($0.shift)
    }
    periods = [first.map] + (second.map { [$0.map] } ?? [])
  }

  /// A motion followed by some periods to either side, itself excluded, as long as `isAllowed`.
  func aliases(of map: Homography, isAllowed: (Homography) -> Bool) -> [Homography] {
    guard let across = periods.first else { return [] }
    let row = [map] + walk(from: map, by: across, isAllowed)
    guard periods.count > 1 else { return Array(row.dropFirst()) }
    return row.dropFirst() + row.flatMap { walk(from: $0, by: periods[1], isAllowed) }
  }

  /// Periods to either side at most: a bound, should `isAllowed` know none.
  private static let furthest = 40

  private func walk(from map: Homography, by period: Homography, _ isAllowed: (Homography) -> Bool) -> [Homography] {
    var result: [Homography] = []
    for step in [period, period.inverse].compactMap({ $0 }) {
      var map = map
      for _ in 0..<Self.furthest {
        guard let next = step * map, isAllowed(next) else { break }
        result.append(next)
        map = next
      }
    }
    return result
  }
}
