import Frames

/// Places where something was chosen that cannot be relied on: somebody in pieces, fragments in a crowd, near things that moved
/// against far ones. Nobody can tell what is behind, so that they count as unresolved.
struct Unconfirmed: Sendable {
  /// The cells.
  let mask: RegionMask

  /// Cells of a place at least where what was chosen is shown by one frame alone: fewer are noise, or leaves that move.
  private static let least = 8
  /// And where it is contradicted, which noise does to an edge here and there, but hardly to cells side by side.
  private static let leastContradicted = 3
  /// Frames that show the place at least, if there are as many: of two, at the rim of a burst, one is often alone.
  private static let leastFrames = 3
  /// Frames that show something else at least: where there are two in all, nobody can tell which of them is right.
  private static let leastOpponents = 2

  /// Cells that a task asks at once.
  private static let grain = 256

  init(mask: RegionMask) { self.mask = mask }

  /// - Parameters:
  ///   - choices: per cell, what was chosen and who shows it.
  ///   - companions: who shows the same as whom in the contested cells, which are the ones that can be meant.
  ///   - demands: what edits demand; nil for nothing.
  /// - Throws: `CancellationError`.
  init(
    _ choices: Elements<CellChoice>, of companions: Companions, _ demands: Demands?, threads: Int
  ) async throws {
    let (candidates, agreement) = (companions.candidates, companions.agreement)
    let grid = candidates.grid
    let asked = agreement.cells.cells.filter { cell in
      if let demands, demands.isNamed(cell) { return false }
      // What every frame shows displaced is no fragment.
      return choices[cell].candidate != candidates.reference || !companions.isNear(cell)
    }
    let marks = try await mapElements(of: asked, grain: Self.grain, threads: threads) { cell in
      Self.marks(choices[cell], of: candidates, agreement, in: cell)
    }
    func mask(least: Int, of isMarked: (Marks) -> Bool) -> RegionMask {
      RegionMask(size: grid.size, pixels: zip(asked, marks).filter { isMarked($0.1) }.map(\.0)).closed()
        .keeping(hole: 0, joinedOver: .square(1)) { $0.count >= least }
    }
    self.mask = mask(least: Self.least) { $0.isAlone }
      .union(mask(least: Self.leastContradicted) { $0.isContradicted })
  }

  /// Of what was chosen in a cell.
  private struct Marks {
    /// Whether one frame alone shows it.
    var isAlone = false
    /// Whether others contradict it, or nobody shows it.
    var isContradicted = false
  }

  private static func marks(
    _ choice: CellChoice, of candidates: Candidates, _ agreement: Agreement, in cell: Int
  ) -> Marks {
    var marks = Marks(isContradicted: contradicts(agreement, Int(choice.candidate), of: candidates, in: cell))
    if choice.support <= 1 {
      let showing = candidates.framesShowing(cell).nonzeroBitCount
      marks.isAlone = showing >= min(leastFrames, candidates.frameCount)
      // Between things that differ lies a median that nobody shows.
      marks.isContradicted = marks.isContradicted || choice.support == 0 && showing >= leastFrames
    }
    return marks
  }

  /// Whether in half of a cell one frame at most shows what was chosen, and half of those that are there certainly show
  /// something else. Pixels are asked one by one: at the rim frames end within a cell, and what they show of it counts, too.
  private static func contradicts(
    _ agreement: Agreement, _ chosen: Int, of candidates: Candidates, in cell: Int
  ) -> Bool {
    let pixels = candidates.grid.pixels(of: cell)
    var count = 0
    for y in pixels.rows {
      for x in pixels.columns {
        guard let sets = agreement.sets(x: x, y: y)?[chosen] else { return false }
        let same = (sets.same & candidates.everyFrame).nonzeroBitCount
        let other = (sets.other & candidates.everyFrame).nonzeroBitCount
        guard same <= 1, other >= leastOpponents else { continue }
        let showing = (candidates.covering(x: x, y: y) & candidates.everyFrame).nonzeroBitCount
        count += 2 * other >= showing ? 1 : 0
      }
    }
    return 2 * count >= pixels.area
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
