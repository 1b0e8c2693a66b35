import CShimOpenCV
import Frames
import ShimSupport

/// Finds, by a minimum cut, the best way to let a frame have a place of a plate: the place itself and as far around it as it
/// takes for the seam to vanish.
struct PlaceCut: Sendable {
  let candidates: Candidates
  let agreement: Agreement
  let energy: Energy
  /// The plate: a candidate for each contested cell.
  let choice: [UInt8]
  /// What it costs to change, in pixels of a seam that shows.
  let change: Change
  /// Where the seam may run.
  let window: Window

  /// What it costs to change: what one frame shows is noisier than the median, so that nothing changes for nothing.
  struct Change: Sendable {
    /// Of a cell.
    var cell: Float
    /// Of a pixel that looks another then.
    var pixel: Float
  }

  /// Parts of `EnergyWeights.unit`ths in which this cut counts: changes are small beside seams.
  private static let fineness: Int32 = 16
  /// How many times more a seam costs that splits somebody for certain: who stands here shall be whole.
  private static let split = 2.0

  /// The contested cells in a rectangle of cells.
  struct Window: Sendable {
    /// Positions of contested cells, ascending.
    fileprivate var cells: [Int] = []
    /// Whether they lie at the window's border, where the plate stays.
    fileprivate var isBorder: [Bool] = []
    /// By contested cell, where it stands in `cells`; -1 for one that does not.
    fileprivate var vertex: [Int32]
    /// Sides between them, and where the cells on either stand in `cells`.
    fileprivate var sides: [(side: SeamCosts.Side, first: Int32, second: Int32)] = []

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

  /// A frame at a place.
  struct Cut: Sendable {
    var frame: UInt8
    /// The contested cells that follow the frame.
    var cells: [Int] = []
    /// By what shows of seams.
    var visible = Costs()
    /// By the same, and by whom they split.
    var splitting = Costs()
  }

  /// In pixels of a seam that shows.
  struct Costs: Sendable {
    /// Of what changes and of the new seam.
    var all = 0.0
    /// Of the new seam.
    var seam = 0.0
    /// Of the seams that there were in and around the cells that change.
    var before = 0.0
  }

  /// The best way to let a frame have a place; nil where it does not show it, or may not have it.
  /// - Parameter place: positions of contested cells.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func cut(_ place: [Int], to wanted: Int) throws -> Cut? {
    let frame = UInt8(wanted)
    try Task.checkCancellation()
    let never = Int32(1 << 24)
    // What it costs to keep a cell as it is, and to let the frame have it: changes and seams towards settled cells.
    var keep = [Int32](repeating: 0, count: window.cells.count)
    for k in place where window.vertex[k] >= 0 { keep[Int(window.vertex[k])] = never }
    var changes = keep.map { _ in Int32(0) }
    var take = changes
    for (vertex, k) in window.cells.enumerated() {
      let isAllowed = energy.demands?.allows(Int(frame), in: energy.cells.cells[k]) ?? true
      if isAllowed, let cost = changing(k, to: Int(frame), from: Int(choice[k])),
        keep[vertex] == never || !window.isBorder[vertex]
      {
        changes[vertex] = cost
        take[vertex] = cost + Self.fineness * energy.seams.towardsSettled[k * candidates.count + Int(frame)]
      } else if keep[vertex] == never {
        return nil
      } else {
        take[vertex] = never
      }
    }
    var edges: [cs_edge] = []
    for (side, first, second) in window.sides {
      let takeFirst = Self.fineness * splitting(side, frame, choice[Int(side.second)])
      let takeSecond = Self.fineness * splitting(side, choice[Int(side.first)], frame)
      if takeFirst > 0 { edges.append(cs_edge(from: first, to: second, capacity: takeFirst)) }
      if takeSecond > 0 { edges.append(cs_edge(from: second, to: first, capacity: takeSecond)) }
    }
    var takes = [UInt8](repeating: 0, count: keep.count)
    try check(cs_min_cut(Int32(keep.count), keep, take, edges, Int32(edges.count), &takes))

    let taken = window.cells.indices.filter { takes[$0] == 1 }
    let cells = taken.map { window.cells[$0] }
    let change = taken.reduce(0) { $0 + Int(changes[$1]) }
    return Cut(
      frame: frame, cells: cells,
      visible: costs(of: cells, by: takes, to: frame, change: change) { energy.seams.cost(of: $0, $1, $2) },
      splitting: costs(of: cells, by: takes, to: frame, change: change, splitting))
  }

  /// - Parameters:
  ///   - cells: the contested cells that follow the frame, 1 in `takes`.
  ///   - change: of what changes, in the cut's parts.
  ///   - seam: of a seam between two candidates.
  private func costs(
    of cells: [Int], by takes: [UInt8], to frame: UInt8, change: Int, _ seam: (SeamCosts.Side, UInt8, UInt8) -> Int32
  ) -> Costs {
    func towardsSettled(_ k: Int, _ candidate: UInt8) -> Int {
      Int(energy.seams.towardsSettled[k * candidates.count + Int(candidate)])
    }
    var before = cells.reduce(0) { $0 + towardsSettled($1, choice[$1]) }
    var after = cells.reduce(0) { $0 + towardsSettled($1, frame) }
    for (side, first, second) in window.sides {
      let (a, b) = (choice[Int(side.first)], choice[Int(side.second)])
      let isTaken = (first: takes[Int(first)] == 1, second: takes[Int(second)] == 1)
      guard isTaken.first || isTaken.second else { continue }
      before += Int(seam(side, a, b))
      after += Int(seam(side, isTaken.first ? frame : a, isTaken.second ? frame : b))
    }
    let unit = Double(EnergyWeights.unit)
    let seam = Double(after) / unit
    return Costs(
      all: Double(change) / (Double(Self.fineness) * unit) + seam, seam: seam, before: Double(before) / unit)
  }

  /// What a seam between two candidates costs that may split somebody.
  private func splitting(_ side: SeamCosts.Side, _ first: UInt8, _ second: UInt8) -> Int32 {
    let cost = energy.seams.cost(of: side, first, second)
    guard cost > EnergyWeights.standard.freeSeam else { return cost }
    let people = SplitPeople(agreement: agreement, everyFrame: candidates.everyFrame)
    return Int32(Double(cost) * (1 + Self.split * people.certainty(of: side, first, second)))
  }

  /// What it costs to let a frame have a cell, seams aside; nil where it does not show all of it.
  private func changing(_ k: Int, to frame: Int, from chosen: Int) -> Int32? {
    let cell = energy.cells.grid.pixels(of: energy.cells.cells[k])
    guard cell.rows.allSatisfy({ candidates.covers(cell.columns, y: $0, frame: frame) }) else { return nil }
    guard chosen != frame else { return 0 }
    var different = 0
    for y in cell.rows {
      for x in cell.columns where !agreement.sets(contested: k, x: x, y: y)[chosen].same.contains(frame) {
        different += 1
      }
    }
    let pixels = change.cell + change.pixel * Float(different)
    return Int32((pixels * EnergyWeights.unit * Float(Self.fineness)).rounded(.up))
  }
}
