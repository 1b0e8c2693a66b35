import Frames

/// Places where what was chosen is shown by one frame alone though others show the place: somebody in pieces, fragments in a
/// crowd, near things that moved against far ones. Nobody can tell what is behind, so that they count as unresolved.
struct Unconfirmed: Sendable {
  /// The cells.
  let mask: RegionMask

  /// Cells of a place at least: fewer are noise, or leaves that move.
  private static let least = 8
  /// Frames that show the place at least, if there are as many: of two, at the rim of a burst, one is often alone.
  private static let leastFrames = 3

  init(mask: RegionMask) { self.mask = mask }

  /// - Parameters:
  ///   - choices: per cell, what was chosen and who shows it.
  ///   - demands: what edits demand; nil for nothing.
  init(_ choices: Elements<CellChoice>, of candidates: Candidates, at cells: ContestedCells, _ demands: Demands?) {
    let grid = candidates.grid
    let isAlone = (0..<grid.count).map { cell in
      guard cells.position(of: cell) != nil, choices[cell].support <= 1,
        !(demands?.isNamed(cell) ?? false)
      else { return false }
      return candidates.framesShowing(cell).nonzeroBitCount >= min(Self.leastFrames, candidates.frameCount)
    }
    mask = RegionMask(size: grid.size, isSet: isAlone).closed()
      .keeping(hole: 0, joinedOver: .square(1)) { $0.count >= Self.least }
  }
}

extension Candidates {
  /// The frames that show all of a cell and one pixel around it.
  fileprivate func framesShowing(_ cell: Int) -> CandidateSet {
    let (left, top) = grid.origin(of: cell)
    let columns = (left - 1, left + CellGrid.side)
    let rows = (top - 1, top + CellGrid.side)
    guard columns.0 >= 0, rows.0 >= 0, columns.1 < size.width, rows.1 < size.height else { return 0 }
    // What a row covers is one span, so that its corners tell.
    return [columns.0, columns.1].reduce(everyFrame) { set, x in
      (rows.0...rows.1).reduce(set) { $0 & covering(x: x, y: $1) }
    }
  }
}
