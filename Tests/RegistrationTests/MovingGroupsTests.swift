import CShimKernels
import Frames
import Testing

@testable import Registration

@Suite struct MovingGroupsTests {
  /// Corners every ten pixels, each moved by what `motion` says.
  private func tracks(_ motion: (_ x: Double, _ y: Double) -> (Double, Double)) -> [Track] {
    (0..<30).flatMap { row in
      (0..<40).map { column in
        let (x, y) = (10 * Double(column), 10 * Double(row))
        let (dx, dy) = motion(x, y)
        return Track(reference: cs_point(x: x, y: y), frame: cs_point(x: x + dx, y: y + dy), weight: 1)
      }
    }
  }

  private func groups(_ tracks: [Track], toFull: Homography = .identity) -> MovingGroups {
    MovingGroups(tracks, map: .identity, size: Size(width: 400, height: 300), bound: 8, toFull: toFull)
  }

  /// Somebody of 6 x 8 corners.
  private func isSomebody(_ x: Double, _ y: Double) -> Bool { (100...150).contains(x) && (120...190).contains(y) }

  @Test func whoeverShiftsHisWeightIsFound() throws {
    let tracks = tracks { x, y in isSomebody(x, y) ? (3, 1) : (0.004 * x, 0) }
    let groups = groups(tracks, toFull: Homography(2, 0, 0.5, 0, 2, 0.5, 0, 0))
    #expect(groups.corners.count == 48)
    #expect(groups.corners.allSatisfy { isSomebody(($0.x - 0.5) / 2, ($0.y - 0.5) / 2) })
  }

  @Test func whatIsSomebodysDoesNotStandStill() throws {
    let tracks = tracks { x, y in isSomebody(x, y) ? (3, 1) : (0, 0) }
    let groups = groups(tracks)
    let still = try #require(groups.still { $0.x < 130 }).tracks
    #expect(still.count == tracks.count - 48)
    #expect(!still.contains { isSomebody($0.reference.x, $0.reference.y) })
    // A branch, of which hardly anything is where somebody is seen, tells where the frame lies.
    #expect(groups.still { $0.x < 110 } == nil)
    #expect(groups.still { _ in false } == nil)
  }

  @Test func whatBendsGraduallyStandsStill() {
    let ground = tracks { x, y in (0.008 * x, 0.008 * y) }
    #expect(groups(ground).corners.isEmpty)
    let noise = tracks { x, y in (Scenes.smoothNoise(x, y, seed: 1) / 5, Scenes.smoothNoise(x, y, seed: 2) / 5) }
    #expect(groups(noise).corners.isEmpty)
  }

  /// His clothes have more corners than all that stands still, which fills more of the picture.
  @Test func extentTellsWhatStandsStillNotTheNumberOfCorners() {
    let (scene, clothes) = (tracks { _, _ in (0, 0) }, tracks { _, _ in (3, 1) })
    let somebody = clothes.map { track in
      let (x, y) = (100 + track.reference.x / 8, 120 + track.reference.y / 5)
      return Track(reference: cs_point(x: x, y: y), frame: cs_point(x: x + 3, y: y + 1), weight: 1)
    }
    let still = scene.filter { !isSomebody($0.reference.x, $0.reference.y) }
    let groups = groups(still + somebody)
    #expect(groups.corners.count == somebody.count)
    #expect(groups.corners.allSatisfy { isSomebody($0.x, $0.y) })
  }

  /// Where the homography fits next to nothing, what fills most of the picture is no less the scene.
  @Test func whatFillsMostOfThePictureIsNobody() {
    let tracks = tracks { x, y in isSomebody(x, y) ? (0, 0) : (3, 1) }
    #expect(groups(tracks).corners.isEmpty)
  }

  /// Between them nothing is seen that would tell whether what is left changes gradually.
  @Test func whatIsFarApartDoesNotMoveTogether() {
    let scene = tracks { _, _ in (0, 0) }.filter { $0.reference.x < 300 }
    let apart = (0..<12).map { row in
      Track(reference: cs_point(x: 390, y: 25 * Double(row)), frame: cs_point(x: 391.2, y: 25 * Double(row)), weight: 1)
    }
    #expect(groups(scene + apart).corners.map(\.x) == apart.map(\.reference.x))
  }

  @Test func fewCornersAndSmallMotionsAreNobodys() {
    #expect(groups(tracks { x, y in x < 20 && y < 50 ? (3, 1) : (0, 0) }).corners.isEmpty)
    #expect(groups(tracks { x, y in isSomebody(x, y) ? (0.45, 0) : (0, 0) }).corners.isEmpty)
    // Whoever has walked away is no part of what a mesh could follow.
    #expect(groups(tracks { x, y in isSomebody(x, y) ? (9, 0) : (0, 0) }).corners.isEmpty)
    #expect(groups([]).corners.isEmpty)
  }

  @Test func neighboursAreThoseOfEveryPairLookedAt() {
    var generator = Generator(seed: 3)
    let points = (0..<300).map { _ in
      let spread = Double.random(in: 0..<1, using: &generator) < 0.8 ? 40.0 : 600
      return cs_point(
        x: Double.random(in: 0..<spread, using: &generator), y: Double.random(in: 0..<spread, using: &generator))
    }
    var distances = [[Double]](repeating: [], count: points.count)
    NeighbourGrid(points).forEachNeighbour(among: 8) { distances[$0].append($2) }
    for index in points.indices {
      let all = points.indices.filter { $0 != index }
        .map { Point(points[$0]).distance(to: Point(points[index])) }.sorted()
      #expect(distances[index] == Array(all.prefix(8)))
    }
    var counts = [0, 0, 0]
    NeighbourGrid(Array(points.prefix(3))).forEachNeighbour(among: 8) { point, _, _ in counts[point] += 1 }
    #expect(counts == [2, 2, 2])
    NeighbourGrid([points[0]]).forEachNeighbour(among: 8) { _, _, _ in Issue.record("a point alone has none") }
    NeighbourGrid([]).forEachNeighbour(among: 8) { _, _, _ in Issue.record("nor has nothing") }
  }

  @Test func setsAreWhatIsConnected() {
    var sets = DisjointSets(count: 7)
    for (one, other) in [(5, 1), (6, 5), (2, 3), (3, 2), (0, 0)] { sets.unite(one, other) }
    #expect(sets.groups == [[0], [1, 5, 6], [2, 3], [4]])
    #expect(DisjointSets(count: 0).groups.isEmpty)
  }
}
