import Frames

/// Where the reference departs from the median because something stands nearer than the rest, such as a lamp post or a railing:
/// a hand that holds a camera moves, and what is near moves against what is far (parallax), further than a residual mesh follows.
///
/// Every frame shows such a thing, and what is around it, hardly displaced, and all of it alike. Whoever walks by is somewhere else
/// in most frames, or in none. Followed cell by cell, a post would become thinner or go, although no photo was taken without it.
struct NearThings: Sendable {
  private let mask: RegionMask

  /// How far a thing is displaced at most, as a share of the pictures' longer side.
  private static let displacement = 0.03
  /// Pixels of a cell at which the reference departs from the median, at least.
  private static let fewestPixels = 4
  /// Of a thing's cells, that most frames must show displaced: the rest is somebody beside it.
  private static let leastOfThing = 0.25
  /// Half of the cells that a thing is thick at most.
  private static let thickness = 3
  /// Half of the cells of a gap in it, such as where somebody walks by.
  private static let gap = 3
  /// Cells of a thing's length at least, and how many times as long as thick it is on average: people are neither.
  private static let (leastLength, slenderness) = (16, 8)

  /// - Throws: `CancellationError`.
  init(
    of candidates: Candidates, _ agreement: Agreement, _ detections: Detections?, threads: Int
  ) async throws {
    let (cells, grid) = (agreement.cells, candidates.grid)
    let pixels = try await mapElements(of: Array(cells.cells.indices), grain: 256, threads: threads) { k in
      agreement.departing(of: candidates, contested: k)
    }
    var departing = [UInt16](repeating: 0, count: grid.count)
    for (cell, pixels) in zip(cells.cells, pixels) { departing[cell] = pixels }
    let changed = RegionMask(size: grid.size, isSet: departing.map { $0.nonzeroBitCount >= Self.fewestPixels }).closed()
    // Whoever is thick is somebody; what is left of him beside a thing would be in pieces.
    let thick = changed.shrunk(by: Self.thickness).grown(by: Self.thickness + 1)
    let thin = RegionMask(size: grid.size, isSet: zip(changed.isSet, thick.isSet).map { $0 && !$1 })
    let things = thin.regions(of: true, joinedOver: .square(2 * Self.gap)).filter { Self.isLongAndThin($0, in: grid) }
    let (width, height) = (candidates.size.width, candidates.size.height)
    let search = DisplacedPatches(
      candidates, radius: Int((Self.displacement * Double(max(width, height))).rounded(.up)))
    let near = try await mapElements(of: things, grain: 1, threads: threads) { [departing] thing in
      let squares = DisplacedSquare.all(holding: thing, of: candidates, departing: departing, detections, search)
      guard let motion = ThingMotion(of: squares, search) else { return [Int]() }
      let shown = RegionMask(size: grid.size, pixels: squares.filter(motion.takes).flatMap(\.cells))
      guard Double(thing.count { shown.isSet[$0] }) >= Self.leastOfThing * Double(thing.count) else { return [] }
      let closed = shown.grown(by: Self.gap).shrunk(by: Self.gap)
      return thing.filter { closed.isSet[$0] }
    }
    mask = RegionMask(size: grid.size, pixels: near.joined())
  }

  /// Whether the reference shows a near thing in a cell, or what is seen beside it there.
  func contains(cell: Int) -> Bool { mask.isSet[cell] }

  private static func isLongAndThin(_ thing: [Int], in grid: CellGrid) -> Bool {
    func extent(_ places: [Int]) -> Int { (places.max() ?? 0) - (places.min() ?? 0) + 1 }
    let length = max(extent(thing.map(grid.column)), extent(thing.map(grid.row)))
    return length >= leastLength && thing.count * slenderness <= length * length
  }
}

extension Agreement {
  /// The pixels of the contested cell `k` at which the reference departs from the median, a bit each, row by row.
  fileprivate func departing(of candidates: Candidates, contested k: Int) -> UInt16 {
    var departing: UInt16 = 0
    for y in 0..<CellGrid.side {
      for x in 0..<CellGrid.side
      where sets(contested: k, x: x, y: y)[candidates.reference].other.contains(candidates.median) {
        departing |= 1 << UInt16(y * CellGrid.side + x)
      }
    }
    return departing
  }
}
