import Frames

/// Where the reference departs from the median because something stands nearer than the rest, such as a lamp post or a railing:
/// a hand that holds a camera moves, and what is near moves against what is far (parallax), further than a residual mesh follows.
///
/// Every frame shows such a thing, and what is around it, hardly displaced. Whoever walks by is somewhere else in most frames, or
/// in none. Followed cell by cell, a post would become thinner or go, although no photo was taken without it.
struct NearThings: Sendable {
  private let mask: RegionMask

  /// How far a thing is displaced at most, as a share of the pictures' longer side.
  private static let displacement = 0.015
  /// Pixels of a cell at which the reference departs from the median, at least.
  private static let fewestPixels = 4
  /// One frame in so many may show something else: whoever walks by stands before the thing.
  private static let excused = 5
  /// Frames beside the reference that must show a place at least: two are often alike by chance.
  private static let fewestFrames = 3
  /// Of what departs in a square, that a frame must show displaced, and of the cells of a thing, that frames must show so.
  private static let (leastOfSquare, leastOfThing) = (1.0 / 3, 0.5)
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

    let (width, height) = (candidates.size.width, candidates.size.height)
    let search = DisplacedPatches(
      candidates, radius: Int((Self.displacement * Double(max(width, height))).rounded(.up)))
    let squares = Square.all(holding: thin, in: grid)
    let isNear = try await mapElements(of: squares, grain: 4, threads: threads) {
      Self.isNear($0.departing(of: candidates, agreement, detections), at: $0.origin, search)
    }
    let near = RegionMask(size: grid.size, pixels: zip(squares, isNear).filter(\.1).flatMap(\.0.cells))
    let things = thin.keeping(hole: 0, joinedOver: Self.joined) { thing in
      let length = Self.length(of: thing, in: grid)
      return thing.count * Self.slenderness <= length * length
        && Double(thing.count { near.isSet[$0] }) >= Self.leastOfThing * Double(thing.count)
    }
    mask = things.intersection(near.grown(by: Self.gap).shrunk(by: Self.gap))
  }

  /// Whether the reference shows a near thing in a cell, or what is seen beside it there.
  func contains(cell: Int) -> Bool { mask.isSet[cell] }

  private static func length(of thing: [Int], in grid: CellGrid) -> Int {
    func extent(_ places: [Int]) -> Int { (places.max() ?? 0) - (places.min() ?? 0) + 1 }
    return max(extent(thing.map(grid.column)), extent(thing.map(grid.row)))
  }

  /// Whether nearly every frame shows displaced what the reference shows at some pixels of a square.
  private static func isNear(_ pixels: UInt64, at origin: (x: Int, y: Int), _ search: DisplacedPatches) -> Bool {
    guard pixels != 0 else { return false }
    let others = search.others
    let still = others.map { search.still(around: origin, in: $0) }
    let frames = zip(others, still).filter { $1 != nil }.map(\.0)
    guard frames.count >= fewestFrames, excused * (others.count - frames.count) <= others.count else { return false }
    // What looks the same in most frames where it is stands no nearer than the rest.
    let sought = search.sought(around: origin, butFor: still.compactMap { $0 })
    var missing = 0
    return frames.allSatisfy { frame in
      let shown = search.pixels(of: pixels, in: sought, shownBy: frame)
      if Double(shown.nonzeroBitCount) < leastOfSquare * Double(pixels.nonzeroBitCount) { missing += 1 }
      return excused * missing <= frames.count
    }
  }

  /// Some of four cells, which are looked for together since patches reach beyond a cell in any case.
  private struct Square: Sendable {
    let cells: [Int]
    /// The first pixel of the four.
    let origin: (x: Int, y: Int)

    /// The squares that hold the cells of a mask, row by row.
    static func all(holding mask: RegionMask, in grid: CellGrid) -> [Square] {
      let side = DisplacedPatches.side / CellGrid.side
      return stride(from: 0, to: grid.rows, by: side).flatMap { row in
        stride(from: 0, to: grid.columns, by: side).compactMap { column in
          let four = Region(x: column, y: row, width: side, height: side).intersection(grid.size.bounds)
          let cells = four.rows.flatMap { y in four.columns.map { y * grid.columns + $0 } }.filter { mask.isSet[$0] }
          return cells.isEmpty ? nil : Square(cells: cells, origin: grid.origin(of: row * grid.columns + column))
        }
      }
    }

    /// The pixels of its cells at which the reference departs from the median, and nobody may be seen in it, row by row.
    func departing(of candidates: Candidates, _ agreement: Agreement, _ detections: Detections?) -> UInt64 {
      var departing: UInt64 = 0
      for cell in cells {
        guard let k = agreement.cells.position(of: cell),
          detections?.isSeen(in: candidates.reference, cell, of: candidates.grid) != true
        else { continue }
        let pixels = agreement.departing(of: candidates, contested: k)
        let (left, top) = candidates.grid.origin(of: cell)
        for y in 0..<CellGrid.side {
          let row = UInt64(pixels) >> UInt64(y * CellGrid.side) & (1 << UInt64(CellGrid.side) - 1)
          departing |= row << UInt64((top - origin.y + y) * DisplacedPatches.side + left - origin.x)
        }
      }
      return departing
    }
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

extension Detections {
  /// Whether somebody may be seen anywhere in a cell of a frame.
  fileprivate func isSeen(in frame: Int, _ cell: Int, of grid: CellGrid) -> Bool {
    let pixels = grid.pixels(of: cell)
    return pixels.rows.contains { y in
      pixels.columns.contains { mean(over: CandidateSet(only: frame), x: $0, y: y) > 0 }
    }
  }
}
