import CShimOpenCV
import Frames
import ShimSupport

/// Finds, by a minimum cut, the best way to let a frame have a place of a plate: the place itself and as far around it as it
/// takes for the seam to vanish.
struct PlaceCut: Sendable {
  private let candidates: Candidates
  private let agreement: Agreement
  private let energy: Energy
  /// The plate: a candidate for each contested cell.
  let choice: [UInt8]
  private let change: Change
  private let window: Window
  private let prices: SeamPrices
  /// Between the window's cells.
  private let sides: [Side]

  /// What it costs to change, in pixels of a seam that shows: what one frame shows is noisier than the median, so that nothing
  /// changes for nothing.
  struct Change: Sendable {
    /// Of a cell.
    var cell: Float
    /// Of a pixel that looks another then.
    var pixel: Float
  }

  /// Parts of `EnergyWeights.unit`ths in which this cut counts: changes are small beside seams.
  private static let fineness: Int32 = 16

  /// - Parameters:
  ///   - choice: the plate, a candidate for each contested cell.
  ///   - window: where the seam may run.
  init(
    candidates: Candidates, agreement: Agreement, energy: Energy, choice: [UInt8], change: Change, window: Window
  ) {
    (self.candidates, self.agreement, self.energy) = (candidates, agreement, energy)
    (self.choice, self.change, self.window) = (choice, change, window)
    let prices = SeamPrices(
      seams: energy.seams, people: SplitPeople(agreement: agreement, everyFrame: candidates.everyFrame))
    self.prices = prices
    sides = window.sides.map { side, first, second in
      let own = (choice[Int(side.first)], choice[Int(side.second)])
      let shown = (prices.people.shown(own.0, beside: side), prices.people.shown(own.1, beside: side))
      return Side(
        side: side, first: first, second: second, own: own, shown: shown,
        price: prices.price(of: side, own.0, shown.0, own.1, shown.1))
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

  /// The best way to let a frame have as much of a place as it shows and may have; nil where that is nothing.
  /// - Parameter place: positions of contested cells.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func cut(_ place: [Int], to frame: Int) throws -> Cut? {
    try Task.checkCancellation()
    let never = Int32(1 << 24)
    let towardsSettled = energy.seams.towardsSettled
    let changes = changes(to: frame)
    // What it costs to keep a cell as it is, and to let the frame have it: changes and seams towards settled cells.
    var keep = [Int32](repeating: 0, count: window.cells.count)
    for k in place where window.vertex[k] >= 0 && changes[Int(window.vertex[k])] != nil {
      keep[Int(window.vertex[k])] = never
    }
    guard keep.contains(never) else { return nil }
    var take = keep
    for (vertex, k) in window.cells.enumerated() {
      if let change = changes[vertex], keep[vertex] == never || !window.isBorder[vertex] {
        take[vertex] = change + Self.fineness * towardsSettled[k * candidates.count + frame]
      } else {
        take[vertex] = never
      }
    }
    let taking = prices(taking: UInt8(frame))
    var edges: [cs_edge] = []
    edges.reserveCapacity(sides.count)
    for (side, taking) in zip(sides, taking) where taking.first.splitting > 0 || taking.second.splitting > 0 {
      edges.append(
        cs_edge(
          first: side.first, second: side.second, forth: Self.fineness * taking.first.splitting,
          back: Self.fineness * taking.second.splitting))
    }
    var takes = [UInt8](repeating: 0, count: keep.count)
    try check(cs_min_cut(Int32(keep.count), keep, take, edges, Int32(edges.count), &takes))

    var (before, after) = (Price(), Price())
    var (cells, change) = ([Int](), 0)
    for (vertex, k) in window.cells.enumerated() where takes[vertex] == 1 {
      cells.append(k)
      change += Int(changes[vertex] ?? 0)
      before.add(towardsSettled[k * candidates.count + Int(choice[k])])
      after.add(towardsSettled[k * candidates.count + frame])
    }
    for (side, taking) in zip(sides, taking) {
      let isTaken = (first: takes[Int(side.first)] == 1, second: takes[Int(side.second)] == 1)
      guard isTaken.first || isTaken.second else { continue }
      before.add(side.price)
      if !isTaken.second { after.add(taking.first) } else if !isTaken.first { after.add(taking.second) }
    }
    func costs(_ seam: KeyPath<Price, Int32>) -> Costs {
      let unit = Double(EnergyWeights.unit)
      let new = Double(after[keyPath: seam]) / unit
      return Costs(
        all: Double(change) / (Double(Self.fineness) * unit) + new, seam: new,
        before: Double(before[keyPath: seam]) / unit)
    }
    return Cut(frame: UInt8(frame), cells: cells, visible: costs(\.visible), splitting: costs(\.splitting))
  }

  /// What each side costs where the frame has its first cell alone, and where it has the second.
  private func prices(taking frame: UInt8) -> [(first: Price, second: Price)] {
    sides.map { side in
      let shown = prices.people.shown(frame, beside: side.side)
      return (
        first: prices.price(of: side.side, frame, shown, side.own.second, side.shown.second),
        second: prices.price(of: side.side, side.own.first, side.shown.first, frame, shown)
      )
    }
  }

  /// What it costs to let a frame have each of the window's cells, seams aside, in this cut's parts; nil where it does not show
  /// all of it, or may not have it.
  private func changes(to frame: Int) -> [Int32?] {
    let contested = energy.cells
    let demands = energy.demands
    return window.cells.map { k in
      let (cell, chosen) = (contested.cells[k], Int(choice[k]))
      if let demands, !demands.allows(frame, in: cell) { return nil }
      let pixels = contested.grid.pixels(of: cell)
      for y in pixels.rows where !candidates.covers(pixels.columns, y: y, frame: frame) { return nil }
      guard chosen != frame else { return 0 }
      var different = 0
      for y in pixels.rows {
        for x in pixels.columns where !agreement.sets(contested: k, x: x, y: y)[chosen].same.contains(frame) {
          different += 1
        }
      }
      let cost = change.cell + change.pixel * Float(different)
      return Int32((cost * EnergyWeights.unit * Float(Self.fineness)).rounded(.up))
    }
  }

  /// Two neighbouring cells of the window, in the plate.
  private struct Side {
    let side: SeamCosts.Side
    /// Where they stand in the window.
    let first: Int32
    let second: Int32
    /// What they follow, and who shows the same.
    let own: (first: UInt8, second: UInt8)
    let shown: (first: SplitPeople.Shown, second: SplitPeople.Shown)
    let price: Price
  }

  /// Of seams, in `EnergyWeights.unit`ths.
  private struct Price {
    /// By what shows.
    var visible: Int32 = 0
    /// By the same, and by whom they split.
    var splitting: Int32 = 0

    mutating func add(_ price: Price) {
      visible += price.visible
      splitting += price.splitting
    }

    /// Of a seam that splits nobody.
    mutating func add(_ cost: Int32) { add(Price(visible: cost, splitting: cost)) }
  }

  private struct SeamPrices {
    let seams: SeamCosts
    let people: SplitPeople

    /// How many times more a seam costs that splits somebody for certain: who stands here shall be whole.
    private static let split = 2.0

    /// Of a seam between two candidates along a side.
    /// - Parameters:
    ///   - here: who shows the same as the first.
    ///   - there: who shows the same as the second.
    @inline(__always)
    func price(
      of side: SeamCosts.Side, _ first: UInt8, _ here: SplitPeople.Shown, _ second: UInt8, _ there: SplitPeople.Shown
    ) -> Price {
      let cost = seams.cost(of: side, first, second)
      guard cost > EnergyWeights.standard.freeSeam else { return Price(visible: cost, splitting: cost) }
      return Price(
        visible: cost, splitting: Int32(Double(cost) * (1 + Self.split * people.certainty(here, there))))
    }
  }
}
