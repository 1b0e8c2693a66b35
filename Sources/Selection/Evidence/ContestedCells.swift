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
  /// And around those that are added later, so that a seam can be found.
  private static let furtherRim = 8

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

  /// These and cells about which an edit says something, or which somebody may fill who is cut off or passes before others, with
  /// those around them.
  func joined(by further: RegionMask) -> ContestedCells {
    let around = further.grown(by: Self.furtherRim)
    return ContestedCells(
      RegionMask(size: grid.size, isSet: position.indices.map { position[$0] >= 0 || around.isSet[$0] }), in: grid)
  }

  /// Values of other contested cells for these.
  func values(_ values: [UInt8], of other: ContestedCells, otherwise: UInt8) -> [UInt8] {
    cells.map { cell in other.position(of: cell).map { values[$0] } ?? otherwise }
  }

  /// Values of some of other contested cells by their positions here.
  func keyed(_ values: [Int: UInt8], as other: ContestedCells) -> [Int: UInt8] {
    var moved: [Int: UInt8] = [:]
    for (k, value) in values {
      if let position = position(of: other.cells[k]) { moved[position] = value }
    }
    return moved
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
