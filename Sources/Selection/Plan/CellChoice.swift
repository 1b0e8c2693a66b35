import Frames

/// What was decided about a cell.
struct CellChoice: BitwiseCopyable, Sendable, Hashable {
  /// The frames whose samples count; nil: everybody who covers the place, compared with the others or not.
  var sources: CandidateSet?
  /// How many of the compared frames show what was chosen, at the cell's worst pixel.
  var support: UInt8
  /// Whether somebody is left, as far as can be told: no frame shows the place free.
  var isUnresolved: Bool
  /// Whether the reference shows what was chosen, even in faint shades, so that its details are kept.
  var keepsDetail: Bool
}

/// Turns the choice of candidates into what stacking needs.
struct CellChoices: Sendable {
  let candidates: Candidates
  let noise: [ComparedNoise]
  let departures: Departures
  let agreement: Agreement
  let energy: Energy
  /// Per contested cell.
  let choice: [UInt8]
  let detections: Detections?
  /// What is known for another choice among the same candidates; nil for nothing.
  let settled: Elements<CellChoice>?

  /// - Returns: one per cell.
  /// - Throws: `AllocationError`, `CancellationError`.
  func perCell(threads: Int) async throws -> Elements<CellChoice> {
    let grid = candidates.grid
    let remains = Remains(energy, choice)
    return try await Elements(count: grid.rows, each: grid.columns, grain: 8, threads: threads) { rows, choices in
      let first = rows.lowerBound * grid.columns
      for cell in first..<rows.upperBound * grid.columns { choices[cell - first] = decide(cell, remains) }
    }
  }

  private func decide(_ cell: Int, _ remains: Remains) -> CellChoice {
    let contested = energy.cells.position(of: cell)
    let chosen = contested.map { Int(choice[$0]) } ?? candidates.median
    let isUnresolved = contested != nil && isUnresolved(cell, chosen, remains)
    guard chosen != candidates.median else {
      // Nothing but the pictures bears on it.
      let known = settled.flatMap { $0[cell].sources == nil ? $0[cell].keepsDetail : nil }
      return CellChoice(
        sources: nil, support: departures.agreeing[cell], isUnresolved: isUnresolved,
        keepsDetail: known ?? candidates.referenceShows(chosen, cell: cell, noise))
    }
    let sources = companions(of: chosen, cell: cell)
    return CellChoice(
      sources: sources, support: UInt8(sources.nonzeroBitCount), isUnresolved: isUnresolved,
      keepsDetail: sources.contains(candidates.reference) && candidates.referenceShows(chosen, cell: cell, noise))
  }

  /// The frames that show the same as the chosen one all over the cell and one pixel around it, and that one.
  private func companions(of chosen: Int, cell: Int) -> CandidateSet {
    let (left, top) = candidates.grid.origin(of: cell)
    var set = candidates.everyFrame
    for y in max(top - 1, 0)...min(top + CellGrid.side, candidates.size.height - 1) {
      for x in max(left - 1, 0)...min(left + CellGrid.side, candidates.size.width - 1) {
        guard let same = agreement.sets(x: x, y: y)?[chosen].same, same != 0 else { continue }
        set &= same
      }
    }
    return set | CandidateSet(only: chosen)
  }

  /// How surely somebody must be seen in the sources on average.
  private static let certainly: Float = 0.35

  private func isUnresolved(_ cell: Int, _ chosen: Int, _ remains: Remains) -> Bool {
    if let demands = energy.demands, demands.isNamed(cell) { return false }
    var isSomebodySeen = false
    let (left, top) = candidates.grid.origin(of: cell)
    let x = min(left + CellGrid.side / 2, candidates.size.width - 1)
    let y = min(top + CellGrid.side / 2, candidates.size.height - 1)
    if let detections, let sets = agreement.sets(x: x, y: y) {
      let sources = sets[chosen].same & candidates.everyFrame
      isSomebodySeen = detections.mean(over: sources, x: x, y: y) > Self.certainly
    }
    return remains.areLeft(around: cell, isSomebodySeen: isSomebodySeen)
  }
}

/// What the choice costs in the contested cells: borders that others do not have, and visible seams.
private struct Remains: Sendable {
  private let cells: ContestedCells
  private let costs: [Int]

  /// Cells to each side over which what is left of somebody is weighed.
  private static let window = 3
  /// So much of borders and seams per cell of the window is left where somebody was not removed; a quarter of it where
  /// a detector sees him too.
  private static let remnant = Int(EnergyWeights.unit)

  init(_ energy: Energy, _ choice: [UInt8]) {
    cells = energy.cells
    var costs = choice.indices.map { k in
      Int(energy.evidence.costs[k * energy.candidates + Int(choice[k])].borders)
    }
    for side in energy.seams.sides {
      costs[Int(side.first)] += Int(energy.seams.cost(of: side, choice[Int(side.first)], choice[Int(side.second)]))
    }
    self.costs = costs
  }

  func areLeft(around cell: Int, isSomebodySeen: Bool) -> Bool {
    let (column, row) = (cells.grid.column(of: cell), cells.grid.row(of: cell))
    var (sum, count) = (0, 0)
    for v in max(row - Self.window, 0)...min(row + Self.window, cells.grid.rows - 1) {
      for u in max(column - Self.window, 0)...min(column + Self.window, cells.grid.columns - 1) {
        count += 1
        if let k = cells.position(column: u, row: v) { sum += costs[k] }
      }
    }
    return sum > (isSomebodySeen ? Self.remnant / 4 : Self.remnant) * count
  }
}
