import CShimKernels
import Frames

/// Points by the squares of a grid in which they lie, to find what lies near one.
struct NeighbourGrid {
  private let points: [cs_point]
  private let side: Double
  private let origin: Point
  private let (columns, rows): (Int, Int)
  /// Positions of the points, square by square, and where each square's begin.
  private let sorted: [Int]
  private let starts: [Int]

  /// Points in a square, where they are spread evenly.
  private static let density = 4.0

  init(_ points: [cs_point]) {
    self.points = points
    let (xs, ys) = (points.map(\.x), points.map(\.y))
    let origin = Point(x: xs.min() ?? 0, y: ys.min() ?? 0)
    let (width, height) = ((xs.max() ?? 0) - origin.x + 1, (ys.max() ?? 0) - origin.y + 1)
    let side = max(1, (Self.density * width * height / Double(max(points.count, 1))).squareRoot())
    let (columns, rows) = (Int(width / side) + 1, Int(height / side) + 1)
    let squares = points.map { Int(($0.y - origin.y) / side) * columns + Int(($0.x - origin.x) / side) }
    var starts = [Int](repeating: 0, count: columns * rows + 1)
    for square in squares { starts[square + 1] += 1 }
    for square in 0..<columns * rows { starts[square + 1] += starts[square] }
    (self.origin, self.side, self.columns, self.rows, self.starts) = (origin, side, columns, rows, starts)
    sorted = points.indices.sorted { (squares[$0], $0) < (squares[$1], $1) }
  }

  /// Tells of every point which ones are nearest to it, nearest first, and how far they are; fewer where there are not so
  /// many.
  func forEachNeighbour(among count: Int, _ body: (_ point: Int, _ neighbour: Int, _ distance: Double) -> Void) {
    var nearest: [Neighbour] = []
    nearest.reserveCapacity(count)
    for point in points.indices {
      find(&nearest, count, around: point)
      for neighbour in nearest { body(point, neighbour.index, neighbour.squaredDistance.squareRoot()) }
    }
  }

  private struct Neighbour {
    var index: Int
    var squaredDistance: Double
  }

  private func find(_ nearest: inout [Neighbour], _ count: Int, around index: Int) {
    let point = points[index]
    let (x, y) = (Int((point.x - origin.x) / side), Int((point.y - origin.y) / side))
    for ring in 1...max(columns, rows) {
      nearest.removeAll(keepingCapacity: true)
      for row in max(y - ring, 0)...min(y + ring, rows - 1) {
        let squares = row * columns + max(x - ring, 0)...row * columns + min(x + ring, columns - 1)
        for other in sorted[starts[squares.lowerBound]..<starts[squares.upperBound + 1]] where other != index {
          let (dx, dy) = (points[other].x - point.x, points[other].y - point.y)
          let squaredDistance = dx * dx + dy * dy
          if nearest.count == count {
            guard squaredDistance < nearest[count - 1].squaredDistance else { continue }
            nearest.removeLast()
          }
          let nearer = nearest.lastIndex { $0.squaredDistance <= squaredDistance } ?? -1
          nearest.insert(Neighbour(index: other, squaredDistance: squaredDistance), at: nearer + 1)
        }
      }
      // Whatever has not been looked at is further away than the squares around the point's own are broad.
      let reach = Double(ring) * side
      if nearest.count == count && nearest[count - 1].squaredDistance <= reach * reach { return }
    }
  }
}
