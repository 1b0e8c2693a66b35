import Frames
import Testing

@testable import Registration

/// Fits to points, and their arithmetic in vectors against plain sums.
@Suite struct MotionFitterTests {
  private static let size = Size(width: 400, height: 300)
  private static let map = Homography(0.98, 0.03, 4, -0.02, 1.01, -3, 2e-5, -4e-5)

  /// Random points and where `map` puts them.
  private func correspondences(_ count: Int, map: Homography) -> [Correspondence] {
    var random = SteadyNumbers()
    return (0..<count).map { _ in
      let from = Point(x: random.next() * 399, y: random.next() * 299)
      return Correspondence(from: .init(from), to: .init(map(from)), weight: 0.5 + random.next())
    }
  }

  /// Coordinates about 1, a map, and where it puts them to about half of 1.
  private func nearOne(_ count: Int) -> (pairs: [Correspondence], map: Homography) {
    let map = Homography(0.9, 0.1, 0.2, -0.1, 1.1, 0.3, 0.05, -0.08)
    var random = SteadyNumbers()
    let pairs = (0..<count).map { _ in
      let from = Point(x: 2 * random.next() - 1, y: 2 * random.next() - 1)
      let to = map(from)
      return Correspondence(
        from: .init(from), to: .init(Point(x: to.x + random.next() - 0.5, y: to.y + random.next() - 0.5)),
        weight: random.next())
    }
    return (pairs, map)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 8, 13, 101]) func measuresResiduals(count: Int) {
    let (pairs, map) = nearOne(count)
    let found = PackedCorrespondences(pairs).residuals(of: map.elements, unit: 100)
    let expected = pairs.map { 100 * map(Point($0.from)).distance(to: Point($0.to)) }
    #expect(found.count == count)
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-10 })
  }

  @Test(arguments: [0, 1, 3, 4, 7, 101], [true, false]) func gathersEquations(count: Int, isProjective: Bool) {
    var (pairs, map) = nearOne(count)
    if !isProjective { map = Homography(elements: map.elements.prefix(6) + [0, 0, 1])! }
    let cutoff = 0.4
    var expected = NormalEquations<8>()
    for pair in pairs {
      let h = map.elements
      let w = h[6] * pair.from.x + h[7] * pair.from.y + 1
      let (x, y, one) = (pair.from.x / w, pair.from.y / w, 1 / w)
      let at = map(Point(pair.from))
      let t = at.distance(to: Point(pair.to)) / cutoff
      guard t < 1 else { continue }
      let weight = pair.weight * (1 - t * t) * (1 - t * t)
      let last = isProjective ? 1.0 : 0
      expected.add(
        [x, y, one, 0, 0, 0, -at.x * x * last, -at.x * y * last], equals: pair.to.x - at.x, weight: weight)
      expected.add(
        [0, 0, 0, x, y, one, -at.y * x * last, -at.y * y * last], equals: pair.to.y - at.y, weight: weight)
    }
    let found = PackedCorrespondences(pairs).equations(of: map.elements, cutoff: cutoff, isProjective: isProjective)
    for row in 0..<8 {
      #expect(abs(found.right[row] - expected.right[row]) < 1e-12)
      for column in 0...row { #expect(abs(found.matrix[row][column] - expected.matrix[row][column]) < 1e-12) }
    }
  }

  /// A point on the line that the map sends to infinity says nothing, and spoils nothing.
  @Test func leavesOutWhatLiesAtInfinity() {
    let (pairs, _) = nearOne(9)
    let map = Homography(1, 0, 0, 0, 1, 0, 1, 0).elements
    let horizon = Correspondence(from: .init(Point(x: -1, y: 0.5)), to: .init(Point(x: 0, y: 0)), weight: 1)
    let without = PackedCorrespondences(pairs).equations(of: map, cutoff: 2, isProjective: true)
    let with = PackedCorrespondences(pairs + [horizon]).equations(of: map, cutoff: 2, isProjective: true)
    for row in 0..<8 {
      #expect(with.right[row] == without.right[row])
      for column in 0...row { #expect(with.matrix[row][column] == without.matrix[row][column]) }
    }
  }

  @Test(arguments: [
    (MotionModel.homography, map),
    (.affine, Homography(0.98, 0.03, 4, -0.02, 1.01, -3, 0, 0)),
    (.similarity, Homography(0.98, -0.05, 4, 0.05, 0.98, -3, 0, 0)),
    (.translation, Homography(1, 0, 4, 0, 1, -3, 0, 0)),
  ])
  func findsTheMapDespiteMovers(model: MotionModel, map: Homography) throws {
    var pairs = correspondences(101, map: map)
    for i in stride(from: 0, to: pairs.count, by: 4) { pairs[i].to.x += 20 }
    let start = Homography.translation(x: 5, y: -2)
    let fit = try #require(
      MotionFitter(pairs, size: Self.size).fit(model, from: start, scale: 4, floor: 0.05))
    #expect(fit.map.cornerDistance(to: map, size: Self.size) < 1e-6)
    #expect(fit.inliers == pairs.indices.filter { $0 % 4 != 0 })
    #expect(fit.spread < 1e-6)
    #expect(abs(fit.residuals[4] - 20) < 0.1 && fit.residuals[5] < 1e-6)
  }

  @Test func refusesTooFewPoints() {
    let pairs = correspondences(3, map: Self.map)
    let fitter = MotionFitter(pairs, size: Self.size)
    #expect(fitter.fit(.homography, from: Self.map, scale: 1, floor: 0.05) == nil)
    #expect(fitter.fit(.affine, from: Self.map, scale: 1, floor: 0.05) == nil)
    // As many numbers as unknowns, but all in one place.
    let same = Array(repeating: pairs[0], count: 8)
    #expect(MotionFitter(same, size: Self.size).fit(.affine, from: Self.map, scale: 1, floor: 0.05) == nil)
  }
}
