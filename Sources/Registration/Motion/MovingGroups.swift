import CShimKernels
import Frames

/// Corners that move together, but not as what lies around them does: on somebody who stays and shifts his weight, or on a
/// branch in the wind. What is left between two pictures once their motion is known changes gradually over whatever stands
/// still (parallax on the ground, a rolling shutter, a lens's distortion) and jumps at the outline of whatever does not.
struct MovingGroups: Sendable {
  /// Corners that are asked what lies around one.
  private static let neighbours = 8
  /// Pixels by which what is left of two neighbours may differ, how many more for each between them, and how many at most:
  /// between those far apart nothing tells whether it changes gradually.
  private static let jump = (least: 0.3, perPixel: 0.01, most: 1.0)
  /// Corners of a group at least: fewer do not lead a mesh away.
  private static let leastCorners = 12
  /// Pixels that half of a group's corners are off by at least.
  private static let leastMotion = 0.5
  /// A group is somebody's of whose corners this share lies where somebody is seen: of those who hide each other not all are.
  private static let somebodys = 1.0 / 3

  private let tracks: [Track]
  /// Frame to reference, in the pixels of the tracks.
  private let map: Homography
  /// All but what stands still.
  private let groups: [Group]

  private struct Group: Sendable {
    /// Positions of its tracks.
    var tracks: [Int]
    /// Where they are in the reference, in full-size pixels.
    var corners: [Point]
  }

  /// - Parameters:
  ///   - tracks: of one frame, in proxy pixels.
  ///   - map: frame to reference, in the same.
  ///   - size: the reference's, in the same.
  ///   - bound: in the same; corners that are off by more belong to no group.
  ///   - toFull: proxy pixel to reference pixel.
  init(_ tracks: [Track], map: Homography, size: Size, bound: Double, toFull: Homography) {
    let members = tracks.enumerated().compactMap { position, track -> Member? in
      let there = map(Point(track.frame))
      let left = Point(x: there.x - track.reference.x, y: there.y - track.reference.y)
      return left.length < bound ? Member(position: position, corner: track.reference, left: left) : nil
    }
    groups = Self.moving(members, of: size).map { group in
      Group(tracks: group.map(\.position), corners: group.map { toFull(Point($0.corner)) })
    }
    self.tracks = groups.isEmpty ? [] : tracks
    self.map = map
  }

  /// Corners of all groups, in full-size pixels of the reference.
  var corners: [Point] { groups.flatMap(\.corners) }

  /// What stands still: all tracks but those of groups that are somebody's.
  /// - Parameter isSomebodys: whether a full-size pixel of the reference shows somebody.
  /// - Returns: nil where there is no such group.
  func still(_ isSomebodys: (Point) -> Bool) -> (tracks: [Track], map: Homography)? {
    let left = groups.filter {
      Double($0.corners.count(where: isSomebodys)) >= Self.somebodys * Double($0.corners.count)
    }
    guard !left.isEmpty else { return nil }
    let positions = Set(left.flatMap(\.tracks))
    return (tracks.indices.filter { !positions.contains($0) }.map { tracks[$0] }, map)
  }

  private struct Member {
    /// Among the tracks.
    var position: Int
    var corner: cs_point
    /// What is left of its motion.
    var left: Point
  }

  /// Groups that move by themselves: not those that lie where the homography says, nor, where all of these fill less of the
  /// picture, the one that fills the most of it, since that is the scene.
  private static func moving(_ members: [Member], of size: Size) -> [[Member]] {
    let groups = apart(members).map { (members: $0, isStill: median($0.map(\.left.length)) < leastMotion) }
    let moved = groups.filter { !$0.isStill }.map(\.members)
    let grid = CoverageGrid(size: size)
    func extent(_ members: [Member]) -> Int { grid.cells(members.lazy.map(\.corner)).count }
    let extents = moved.map(extent)
    let stillExtent = extent(groups.filter(\.isStill).flatMap(\.members))
    let scene = moved.indices.filter { extents[$0] > stillExtent }.max { (extents[$0], $1) < (extents[$1], $0) }
    return moved.indices.filter { $0 != scene && moved[$0].count >= leastCorners }.map { moved[$0] }
  }

  /// Members that are connected by neighbours that move alike.
  private static func apart(_ members: [Member]) -> [[Member]] {
    var sets = DisjointSets(count: members.count)
    NeighbourGrid(members.map(\.corner)).forEachNeighbour(among: neighbours) { index, neighbour, distance in
      let difference = members[neighbour].left.distance(to: members[index].left)
      if difference <= min(jump.least + jump.perPixel * distance, jump.most) { sets.unite(index, neighbour) }
    }
    return sets.groups.map { group in group.map { members[$0] } }
  }
}

extension Point {
  fileprivate var length: Double { (x * x + y * y).squareRoot() }
}
