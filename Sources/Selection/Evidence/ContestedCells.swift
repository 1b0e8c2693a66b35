import Frames

/// The cells in which is decided whom to follow, in the order of their rows; elsewhere the median settles it.
struct ContestedCells: Sendable {
  let grid: CellGrid
  let cells: [Int]
  /// Per cell, its position in `cells`, or -1.
  let position: [Int32]

  var count: Int { cells.count }

  /// Cells around a contested one that take part, so that every region has a rim on which all agree.
  private static let rim = 2
  /// And around one in which something is demanded, so that a seam can be found.
  private static let demandedRim = 8

  /// - Parameter demanded: the cells about which an edit says something; nil for none.
  init(_ verdicts: [Departures.Verdict], demanded: RegionMask? = nil, in grid: CellGrid) {
    self.grid = grid
    var near = RegionMask(size: grid.size, isSet: verdicts.map { $0 != .settled }).grown(by: Self.rim)
    if let demanded {
      let around = demanded.grown(by: Self.demandedRim)
      near = RegionMask(size: grid.size, isSet: zip(near.isSet, around.isSet).map { $0 || $1 })
    }
    cells = near.isSet.indices.filter { near.isSet[$0] }
    var position = [Int32](repeating: -1, count: grid.count)
    for (k, cell) in cells.enumerated() { position[cell] = Int32(k) }
    self.position = position
  }

  /// The position of the contested cell in a column and row of cells, or nil.
  @inline(__always)
  func position(column: Int, row: Int) -> Int? {
    guard column >= 0, row >= 0, column < grid.columns, row < grid.rows else { return nil }
    return position(of: row * grid.columns + column)
  }

  /// The position of a cell among the contested ones, or nil.
  @inline(__always)
  func position(of cell: Int) -> Int? {
    let found = position[cell]
    return found < 0 ? nil : Int(found)
  }
}
