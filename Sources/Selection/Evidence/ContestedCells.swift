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

  /// - Parameter verdicts: of all cells, by which those are contested that are not settled, and those around them.
  init(_ verdicts: [Departures.Verdict], in grid: CellGrid) {
    self.init(
      RegionMask(size: grid.size, isSet: verdicts.map { $0 != .settled }).grown(by: Self.rim), in: grid)
  }

  init(_ mask: RegionMask, in grid: CellGrid) {
    self.grid = grid
    cells = mask.isSet.indices.filter { mask.isSet[$0] }
    var position = [Int32](repeating: -1, count: grid.count)
    for (k, cell) in cells.enumerated() { position[cell] = Int32(k) }
    self.position = position
  }

  /// These and the cells about which an edit says something, with those around them.
  func joined(by demanded: RegionMask) -> ContestedCells {
    let around = demanded.grown(by: Self.demandedRim)
    return ContestedCells(
      RegionMask(size: grid.size, isSet: position.indices.map { position[$0] >= 0 || around.isSet[$0] }), in: grid)
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
