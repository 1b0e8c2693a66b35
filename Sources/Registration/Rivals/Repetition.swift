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
  /// Shifts that periods are looked for at, and how many of them in one direction.
  private static let (peaks, tries) = (48, 4)
  /// The sine of the angle between two periods at least.
  private static let angle = 0.3

  var isFound: Bool { agreement > Self.least }

  /// - Parameter threads: threads that may run at once; the result does not depend on it.
  /// - Throws: `ShimError` when memory runs out.
  init(of picture: SmallPicture, threads: Int) throws(ShimError) {
    let itself = Agreement(frame: picture, reference: picture)
    let centre = picture.coveredSize.centre
    func shift(_ map: Homography) -> Point {
      let there = map(centre)
      return Point(x: there.x - centre.x, y: there.y - centre.y)
    }
    func length(_ map: Homography) -> Double { map(centre).distance(to: centre) }
    func fitted(_ shifts: some Sequence<Agreement.Peak>) -> [(map: Homography, agreement: Double)] {
      let tried = Array(shifts.prefix(Self.tries))
      return mapIndicesInPlace(count: tried.count, threads: threads) { k -> (map: Homography, agreement: Double)? in
        guard let map = DenseFit(agreement: itself).fit(from: tried[k].map), !itself.isSame(map, .identity) else {
          return nil
        }
        return (map, itself.correlation(along: map))
      }.compactMap(\.self)
    }
    let shifts = try itself.peaks(around: .identity, most: 1 + Self.peaks).dropFirst()
    let first = fitted(shifts)
    let best = first.map(\.agreement).max() ?? 0
    agreement = max(best, shifts.first?.height ?? 0)
    func shortest(_ candidates: [(map: Homography, agreement: Double)]) -> Homography? {
      candidates.filter { $0.agreement > max(Self.least, Self.share * best) }.map(\.map).min { length($0) < length($1) }
    }
    guard let along = shortest(first) else {
      periods = []
      return
    }
    let across = fitted(
      shifts.lazy.filter {
        let (a, b) = (shift(along), shift($0.map))
        return abs(a.x * b.y - a.y * b.x) > Self.angle * length(along) * length($0.map)
      })
    periods = [along] + (shortest(across).map { [$0] } ?? [])
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
