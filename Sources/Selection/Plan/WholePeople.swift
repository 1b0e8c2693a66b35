import CShimOpenCV
import Frames
import ShimSupport

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
  /// What it costs to change a pixel, in pixels of a seam that shows.
  private static let change: Float = 0.01
  /// How much of the new seam may show: pixels, and a share of what shows now. Otherwise somebody would be cut in two, or a
  /// free place given away for nothing.
  private static let (shown, shownShare) = (Float(4), 0.02)
  /// Less of a place than this share need not change.
  private static let falseAlarm = 0.05

  /// - Parameters:
  ///   - choice: a candidate for each contested cell.
  ///   - unresolved: the cells that the choice did not settle.
  ///   - kept: the cells that must follow the reference; nil for none.
  /// - Returns: what contested cells follow from now on, by their position; empty where all may stay.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func found(
    in choice: [UInt8], unresolved: RegionMask, kept: RegionMask?, threads: Int
  ) async throws -> [Int: UInt8] {
    var choice = choice
    var fixed: [Int: UInt8] = [:]
    let places = unresolved.regions(of: true).map { $0.compactMap(energy.cells.position(of:)) }
      .filter { $0.count >= Self.least }.sorted { $0.count > $1.count }
    for place in places {
      let window = Window(around: place, energy)
      let current = choice
      let cuts = try await mapIndices(count: candidates.frameCount, threads: threads) { frame in
        try cut(place, window, UInt8(frame), current, kept)
      }
      guard let best = cuts.compactMap({ $0 }).min(by: { $0.cost < $1.cost }), best.cost < best.before,
        best.seam <= Double(EnergyWeights.whole(Self.shown)) + Self.shownShare * Double(best.before),
        Double(best.cells.count { choice[$0] != best.frame }) >= Self.falseAlarm * Double(place.count)
      else { continue }
      for cell in best.cells {
        choice[cell] = best.frame
        fixed[cell] = best.frame
      }
    }
    return fixed
  }

  /// The contested cells around a place.
  private struct Window: Sendable {
    /// Positions of contested cells, ascending.
    var cells: [Int] = []
    /// Whether they lie at the window's border, where the plate stays.
    var isBorder: [Bool] = []
    /// By contested cell, where it stands in `cells`.
    var vertex: [Int: Int32] = [:]
    /// Sides between them, and where the cells on either stand in `cells`.
    var sides: [(side: SeamCosts.Side, first: Int32, second: Int32)] = []

    init(around place: [Int], _ energy: Energy) {
      let contested = energy.cells
      let grid = contested.grid
      let columns = place.map { grid.column(of: contested.cells[$0]) }
      let rows = place.map { grid.row(of: contested.cells[$0]) }
      guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
        return
      }
      func reach(_ extent: Int) -> Int { max(WholePeople.around, Int(WholePeople.times * Double(extent))) }
      let (x, y) = (reach(right - left), reach(bottom - top))
      for row in max(top - y, 0)...min(bottom + y, grid.rows - 1) {
        for column in max(left - x, 0)...min(right + x, grid.columns - 1) {
          guard let k = contested.position(column: column, row: row) else { continue }
          vertex[k] = Int32(cells.count)
          cells.append(k)
          isBorder.append(row == top - y || row == bottom + y || column == left - x || column == right + x)
        }
      }
      sides = energy.seams.sides.compactMap { side in
        guard let first = vertex[Int(side.first)], let second = vertex[Int(side.second)] else { return nil }
        return (side, first, second)
      }
    }
  }

  /// A frame at a place; costs are in `EnergyWeights.unit`ths.
  private struct Cut: Sendable {
    var frame: UInt8
    /// The contested cells that follow the frame.
    var cells: [Int]
    /// Of what changes and of the new seam.
    var cost: Int
    /// Of the new seam.
    var seam: Double
    /// Of the seams that there were in and around those cells.
    var before: Int
  }

  /// The best way to let a frame have a place; nil where it does not show it.
  private func cut(
    _ place: [Int], _ window: Window, _ frame: UInt8, _ choice: [UInt8], _ kept: RegionMask?
  ) throws -> Cut? {
    try Task.checkCancellation()
    let never = Int32(1 << 24)
    // What it costs to keep a cell as it is, and to let the frame have it: changes and seams towards settled cells.
    var keep = [Int32](repeating: 0, count: window.cells.count)
    for k in place {
      guard let vertex = window.vertex[k] else { continue }
      keep[Int(vertex)] = never
    }
    var changes = keep.map { _ in Int32(0) }
    var take = changes
    for (vertex, k) in window.cells.enumerated() {
      let isKept = kept.map { $0.isSet[energy.cells.cells[k]] && Int(frame) != candidates.reference } ?? false
      if !isKept, let change = change(k, to: Int(frame), from: Int(choice[k])),
        keep[vertex] == never || !window.isBorder[vertex]
      {
        changes[vertex] = change
        take[vertex] = change + energy.seams.towardsSettled[k * candidates.count + Int(frame)]
      } else if keep[vertex] == never {
        return nil
      } else {
        take[vertex] = never
      }
    }
    var edges: [cs_edge] = []
    for (side, first, second) in window.sides {
      let takeFirst = energy.seams.cost(of: side, frame, choice[Int(side.second)])
      let takeSecond = energy.seams.cost(of: side, choice[Int(side.first)], frame)
      if takeFirst > 0 { edges.append(cs_edge(from: first, to: second, capacity: takeFirst)) }
      if takeSecond > 0 { edges.append(cs_edge(from: second, to: first, capacity: takeSecond)) }
    }
    var takes = [UInt8](repeating: 0, count: keep.count)
    try check(cs_min_cut(Int32(keep.count), keep, take, edges, Int32(edges.count), &takes))

    let taken = window.cells.indices.filter { takes[$0] == 1 }
    let cost =
      taken.reduce(0) { $0 + Int(take[$1]) }
      + edges.reduce(0) { takes[Int($1.from)] == 1 && takes[Int($1.to)] == 0 ? $0 + Int($1.capacity) : $0 }
    let settled = taken.reduce(0) { sum, vertex in
      let k = window.cells[vertex]
      return sum + Int(energy.seams.towardsSettled[k * candidates.count + Int(choice[k])])
    }
    let before = window.sides.reduce(settled) { sum, next in
      guard takes[Int(next.first)] == 1 || takes[Int(next.second)] == 1 else { return sum }
      return sum + Int(energy.seams.cost(of: next.side, choice[Int(next.side.first)], choice[Int(next.side.second)]))
    }
    return Cut(
      frame: frame, cells: taken.map { window.cells[$0] }, cost: cost,
      seam: Double(cost - taken.reduce(0) { $0 + Int(changes[$1]) }), before: before)
  }

  /// What it costs to let a frame have a cell, seams aside; nil where it does not show all of it.
  private func change(_ k: Int, to frame: Int, from chosen: Int) -> Int32? {
    let (left, top) = energy.cells.grid.origin(of: energy.cells.cells[k])
    var different = 0
    for y in top..<min(top + CellGrid.side, candidates.size.height) {
      for x in left..<min(left + CellGrid.side, candidates.size.width) {
        guard candidates.list[frame].covers(x: x, y: y) else { return nil }
        guard let same = agreement.sets(x: x, y: y)?[chosen].same, !same.contains(frame) else { continue }
        different += 1
      }
    }
    // Cells do not change for nothing: what one frame shows is noisier than the median.
    return chosen == frame ? 0 : 1 + Int32(EnergyWeights.whole(Self.change * Float(different)))
  }
}
