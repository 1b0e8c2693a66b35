import Frames

/// What was decided about a cell.
struct CellChoice: BitwiseCopyable, Sendable, Hashable {
  /// The candidate that is followed.
  var candidate: UInt8
  /// The frames whose samples count; nil: everybody who covers the place, compared with the others or not.
  var sources: CandidateSet?
  /// How many of the compared frames show what was chosen, at the cell's worst pixel.
  var support: UInt8
  /// Whether somebody is left, as far as can be told: no frame shows the place free.
  var isUnresolved: Bool
  /// The frame that shows what was chosen, even in faint shades, so that its details are kept: the reference wherever it does.
  /// Nil where none is known.
  var detail: UInt8?

  func keepsDetail(of frame: Int) -> Bool { detail == UInt8(frame) }
}

/// Turns the choice of candidates into what stacking needs.
struct CellChoices: Sendable {
  let companions: Companions
  let noise: [ComparedNoise]
  let departures: Departures
  let energy: Energy
  /// Per contested cell.
  let choice: [UInt8]
  /// What is known for another choice among the same candidates; nil for nothing.
  let settled: Elements<CellChoice>?
  private var candidates: Candidates { companions.candidates }

  /// - Returns: one per cell.
  /// - Throws: `AllocationError`, `CancellationError`.
  func perCell(threads: Int) async throws -> Elements<CellChoice> {
    let grid = candidates.grid
    let remains = Remains(energy, choice)
    return try await Elements(count: grid.rows, each: grid.columns, grain: 8, threads: threads) { rows, choices in
      let first = rows.lowerBound * grid.columns
      for row in rows {
        let cells = row * grid.columns..<(row + 1) * grid.columns
        // Most cells follow the median. Nothing but the pictures bears on it.
        let isShown = settled == nil ? referenceShowsMedian(in: cells) : nil
        for cell in cells {
          let known = settled.flatMap {
            $0[cell].sources == nil ? $0[cell].keepsDetail(of: candidates.reference) : nil
          }
          choices[cell - first] = decide(
            cell, remains, referenceShowsMedian: isShown?[cell - cells.lowerBound] ?? known)
        }
      }
    }
  }

  /// - Parameter referenceShowsMedian: nil where that is not known.
  private func decide(_ cell: Int, _ remains: Remains, referenceShowsMedian: Bool?) -> CellChoice {
    let contested = energy.cells.position(of: cell)
    let chosen = contested.map { Int(choice[$0]) } ?? candidates.median
    let isUnresolved = contested != nil && isUnresolved(cell, chosen, remains)
    let reference = UInt8(candidates.reference)
    guard chosen != candidates.median else {
      let isShown = referenceShowsMedian ?? self.referenceShowsMedian(in: cell..<cell + 1)[0]
      return CellChoice(
        candidate: UInt8(chosen), sources: nil, support: departures.agreeing[cell], isUnresolved: isUnresolved,
        detail: isShown ? reference : nil)
    }
    let sources = companions.frames(with: chosen, in: cell)
    let isShown = sources.contains(candidates.reference) && candidates.referenceShows(chosen, cell: cell, noise)
    return CellChoice(
      candidate: UInt8(chosen), sources: sources, support: UInt8(sources.nonzeroBitCount), isUnresolved: isUnresolved,
      detail: isShown ? reference : UInt8(chosen))
  }

  private func referenceShowsMedian(in cells: Range<Int>) -> [Bool] {
    candidates.showsMedian(candidates.reference, cells: cells, noise, but: companions.precipitation)
  }

  private func isUnresolved(_ cell: Int, _ chosen: Int, _ remains: Remains) -> Bool {
    if let demands = energy.demands, demands.isNamed(cell) { return false }
    return remains.areLeft(around: cell, isSomebodySeen: companions.showSomebody(with: chosen, in: cell))
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
