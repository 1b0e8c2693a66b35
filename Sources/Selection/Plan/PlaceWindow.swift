extension PlaceCut {
  /// The contested cells in a rectangle of cells.
  struct Window: Sendable {
    /// Positions of contested cells, ascending.
    private(set) var cells: [Int] = []
    /// Whether they lie at the window's border, where the plate stays.
    private(set) var isBorder: [Bool] = []
    /// By contested cell, where it stands in `cells`; -1 for one that does not.
    private(set) var vertex: [Int32]
    /// Sides between them, and where the cells on either stand in `cells`.
    private(set) var sides: [(side: SeamCosts.Side, first: Int32, second: Int32)] = []

    /// Cells around a place: this many, or so many times the place's size.
    private static let (around, times) = (24, 1.2)

    /// - Parameter place: positions of contested cells.
    init(around place: [Int], _ energy: Energy) {
      let grid = energy.cells.grid
      let columns = place.map { grid.column(of: energy.cells.cells[$0]) }
      let rows = place.map { grid.row(of: energy.cells.cells[$0]) }
      guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
        self.init(columns: 0..<0, rows: 0..<0, energy)
        return
      }
      func reach(_ extent: Int) -> Int { max(Self.around, Int(Self.times * Double(extent))) }
      let (x, y) = (reach(right - left), reach(bottom - top))
      self.init(columns: left - x..<right + x + 1, rows: top - y..<bottom + y + 1, energy)
    }

    /// Columns and rows may reach beyond the grid.
    init(columns: Range<Int>, rows: Range<Int>, _ energy: Energy) {
      let contested = energy.cells
      let grid = contested.grid
      vertex = Array(repeating: -1, count: contested.count)
      for row in rows.clamped(to: 0..<grid.rows) {
        for column in columns.clamped(to: 0..<grid.columns) {
          guard let k = contested.position(column: column, row: row) else { continue }
          vertex[k] = Int32(cells.count)
          cells.append(k)
          isBorder.append(
            row == rows.lowerBound || row == rows.upperBound - 1 || column == columns.lowerBound
              || column == columns.upperBound - 1)
        }
      }
      sides = energy.seams.sides.compactMap { side in
        let (first, second) = (vertex[Int(side.first)], vertex[Int(side.second)])
        return first < 0 || second < 0 ? nil : (side, first, second)
      }
    }
  }
}
