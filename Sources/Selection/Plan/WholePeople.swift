import Frames

/// Puts somebody whom no frame shows gone into the plate as one frame shows him, instead of in pieces.
///
/// Every place that stays unresolved is asked anew, by one minimum cut per frame: this frame at the place and as far around
/// it as it takes for the seam to vanish, or the plate so far. The frame that fits best wins, if hardly anything of the
/// seam shows. Outlines play no part: they make half people cheap.
struct WholePeople: Sendable {
  let candidates: Candidates
  let agreement: Agreement
  let energy: Energy

  /// Cells of a place at least.
  private static let least = 16
  /// Cells around a place in which the seam may run: this many, or so many times the place's size.
  private static let (around, times) = (24, 1.2)
  /// What it costs to change.
  private static let change = PlaceCut.Change(cell: 1 / EnergyWeights.unit, pixel: 0.01)
  /// How much of the new seam may show: pixels, and a share of what shows now. Otherwise somebody would be cut in two, or a
  /// free place given away for nothing.
  private static let (shown, shownShare) = (4.0, 0.02)
  /// Less of a place than this share need not change.
  private static let falseAlarm = 0.05

  /// - Parameters:
  ///   - choice: a candidate for each contested cell.
  ///   - unresolved: the cells that the choice did not settle.
  /// - Returns: what contested cells follow from now on, by their position; empty where all may stay.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func found(
    in choice: [UInt8], unresolved: RegionMask, threads: Int
  ) async throws -> [Int: UInt8] {
    var choice = choice
    var fixed: [Int: UInt8] = [:]
    let places = unresolved.regions(of: true).map { $0.compactMap(energy.cells.position(of:)) }
      .filter { $0.count >= Self.least }.sorted { $0.count > $1.count }
    for place in places {
      let cutting = PlaceCut(
        candidates: candidates, agreement: agreement, energy: energy, choice: choice, change: Self.change,
        window: window(around: place))
      let cuts = try await mapIndices(count: candidates.frameCount, threads: threads) { frame in
        try cutting.cut(place, to: frame)
      }
      guard let best = cuts.compactMap({ $0 }).min(by: { $0.cost < $1.cost }), best.cost < best.before,
        best.seam <= Self.shown + Self.shownShare * best.before,
        Double(best.cells.count { choice[$0] != best.frame }) >= Self.falseAlarm * Double(place.count)
      else { continue }
      for cell in best.cells {
        choice[cell] = best.frame
        fixed[cell] = best.frame
      }
    }
    return fixed
  }

  private func window(around place: [Int]) -> PlaceCut.Window {
    let grid = energy.cells.grid
    let columns = place.map { grid.column(of: energy.cells.cells[$0]) }
    let rows = place.map { grid.row(of: energy.cells.cells[$0]) }
    guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
      return PlaceCut.Window(columns: 0..<0, rows: 0..<0, energy)
    }
    func reach(_ extent: Int) -> Int { max(Self.around, Int(Self.times * Double(extent))) }
    let (x, y) = (reach(right - left), reach(bottom - top))
    return PlaceCut.Window(columns: left - x..<right + x + 1, rows: top - y..<bottom + y + 1, energy)
  }
}
