import Frames

/// Where the reference departs from the median because something stands nearer than the rest, such as a lamp post or a railing:
/// a hand that holds a camera moves, and what is near moves against what is far (parallax), further than a residual mesh follows.
///
/// Every frame shows such a thing, and what is around it, hardly displaced, and all of it alike. Whoever walks by is somewhere else
/// in most frames, or in none. Followed cell by cell, a post would become thinner or go, although no photo was taken without it.
struct NearThings: Sendable {
  private let mask: RegionMask

  /// How far a thing is displaced at most, as a share of the pictures' longer side.
  private static let displacement = 0.015
  /// Pixels of a cell at which the reference departs from the median, at least.
  private static let fewestPixels = 4
  /// Of the cells of a thing, that frames must show displaced.
  private static let leastOfThing = 0.5
  /// Half of the cells that a thing is thick at most.
  private static let thickness = 3
  /// Half of the cells of a gap in it, such as where somebody walks by.
  private static let gap = 3
  private static let joined = RegionMask.Neighbourhood.square(2 * gap)
  /// Cells of a thing's length at least, and how many times as long as thick it is on average: people are neither.
  private static let (leastLength, slenderness) = (16, 8)

  /// - Throws: `CancellationError`.
  init(
    of candidates: Candidates, _ agreement: Agreement, _ detections: Detections?, threads: Int
  ) async throws {
    let (cells, grid) = (agreement.cells, candidates.grid)
    let departs = try await mapElements(of: Array(cells.cells.indices), grain: 256, threads: threads) { k in
      agreement.departing(of: candidates, contested: k).nonzeroBitCount >= Self.fewestPixels
    }
    let departing = RegionMask(size: grid.size, pixels: zip(cells.cells, departs).filter(\.1).map(\.0)).closed()
    // Whoever is thick is somebody; what is left of him beside a thing would be in pieces.
    let thick = departing.shrunk(by: Self.thickness).grown(by: Self.thickness + 1)
    let thin = RegionMask(size: grid.size, isSet: zip(departing.isSet, thick.isSet).map { $0 && !$1 })
      .keeping(hole: 0, joinedOver: Self.joined) { Self.length(of: $0, in: grid) >= Self.leastLength }
    func things(with squares: [DisplacedSquare]) -> RegionMask {
      let near = RegionMask(size: grid.size, pixels: squares.flatMap(\.cells))
      return thin.keeping(hole: 0, joinedOver: Self.joined) { thing in
        let length = Self.length(of: thing, in: grid)
        return thing.count * Self.slenderness <= length * length
          && Double(thing.count { near.isSet[$0] }) >= Self.leastOfThing * Double(thing.count)
      }.intersection(near.grown(by: Self.gap).shrunk(by: Self.gap))
    }

    let (width, height) = (candidates.size.width, candidates.size.height)
    let search = DisplacedPatches(
      candidates, radius: Int((Self.displacement * Double(max(width, height))).rounded(.up)))
    let squares = DisplacedSquare.all(holding: thin, of: candidates, agreement, detections)
    let isShown = try await mapElements(of: squares, grain: 4, threads: threads) { $0.isShown(displaced: search) }
    let shown = zip(squares, isShown).filter(\.1).map(\.0)
    // By how much takes longer to tell than whether.
    let maybe = things(with: shown)
    let asked = shown.filter { square in square.cells.contains { maybe.isSet[$0] } }
    let displacements = try await mapElements(of: asked, grain: 1, threads: threads) { $0.displacements(search) }
    mask = things(with: DisplacedSquare.movingAlike(asked, displacements))
  }

  /// Whether the reference shows a near thing in a cell, or what is seen beside it there.
  func contains(cell: Int) -> Bool { mask.isSet[cell] }

  private static func length(of thing: [Int], in grid: CellGrid) -> Int {
    func extent(_ places: [Int]) -> Int { (places.max() ?? 0) - (places.min() ?? 0) + 1 }
    return max(extent(thing.map(grid.column)), extent(thing.map(grid.row)))
  }
}
