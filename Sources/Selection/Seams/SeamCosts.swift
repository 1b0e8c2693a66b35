import Frames

/// How visible seams would be along the sides of the contested cells: where the candidates agree, nobody sees them
/// (Agarwala et al., "Interactive Digital Photomontage", SIGGRAPH 2004). In `EnergyWeights.unit`ths of a pixel.
struct SeamCosts: Sendable {
  /// Two neighbouring contested cells.
  struct Side: BitwiseCopyable, Sendable {
    var first: Int32
    /// To the right of the first or below it.
    var second: Int32
    /// Where the costs of its pairs of candidates begin.
    var start: Int
  }

  /// In the order of the first cells, right before below.
  let sides: [Side]
  /// Two per contested cell, to the right and below, pair of candidates after pair.
  private let costs: Elements<UInt8>
  /// What seams cost in addition, in the same order; nil for nothing.
  private var surcharges: Elements<UInt8>?
  private let candidates: Int
  private let cells: ContestedCells
  /// What the plate shows, where that was asked.
  private let shown: Region
  /// Contested cell after contested cell, candidate after candidate: seams with the median in neighbours that are
  /// settled, and with what goes on where frames end.
  let towardsSettled: Elements<Int32>

  /// - Parameters:
  ///   - ends: where frames end within the plate.
  ///   - old: of the same candidates for some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of candidates: Candidates, _ noise: [ComparedNoise], at cells: ContestedCells, ends: FrameEnds = .none,
    reusing old: SeamCosts? = nil, threads: Int
  ) async throws {
    let (pairs, count) = (candidates.pairCount, candidates.count)
    self.candidates = count
    self.cells = cells
    shown = ends.shown
    sides = Self.sides(of: cells.cells.indices, among: cells, pairs: pairs)
    let makeScratch: @Sendable () -> SideSeams = { SideSeams(candidates, noise, shown: ends.shown) }
    costs = try await Elements(count: cells.count, each: 2 * pairs, grain: 256, threads: threads, scratch: makeScratch)
    {
      contested, costs, seams in
      costs.initialize(repeating: 0, count: contested.count * 2 * pairs)
      for (place, k) in contested.enumerated() {
        let known = old.flatMap { $0.cells.position(of: cells.cells[k]) }
        for (index, direction) in Direction.later.enumerated() where cells.neighbour(of: k, direction) != nil {
          let target = costs + (2 * place + index) * pairs
          if let old, let known, old.cells.neighbour(of: known, direction) != nil,
            old.holds(within: ends, of: cells.cells[k], [direction], seams)
          {
            target.update(from: old.costs.base + (2 * known + index) * pairs, count: pairs)
            continue
          }
          seams.take(cell: cells.cells[k], direction)
          var pair = target
          for a in 0..<count - 1 {
            seams.write(of: a, with: a + 1..<count, to: pair)
            pair += count - 1 - a
          }
        }
      }
    }
    towardsSettled = try await Elements(
      count: cells.count, each: count, grain: 256, threads: threads, scratch: makeScratch
    ) { contested, costs, seams in
      var own = [UInt8](repeating: 0, count: count)
      costs.initialize(repeating: 0, count: contested.count * count)
      for (place, k) in contested.enumerated() {
        let target = costs + place * count
        let settled = Direction.allCases.filter { cells.isSettled(beside: k, $0) }
        if let old, let known = old.cells.position(of: cells.cells[k]),
          settled == Direction.allCases.filter({ old.cells.isSettled(beside: known, $0) }),
          old.holds(within: ends, of: cells.cells[k], settled, seams)
        {
          target.update(from: old.towardsSettled.base + known * count, count: count)
          continue
        }
        for direction in settled {
          seams.take(cell: cells.cells[k], direction)
          seams.write(of: count - 1, with: 0..<count - 1, to: &own)
          for candidate in 0..<count - 1 { target[candidate] += Int32(own[candidate]) }
        }
        guard let end = ends.ends[cells.cells[k]] else { continue }
        for candidate in 0..<count { target[candidate] += Int32(EnergyWeights.whole(end.costs[candidate])) }
      }
    }
  }

  /// Whether the costs of a cell's sides stay where frames end within another plate.
  private func holds(within ends: FrameEnds, of cell: Int, _ directions: [Direction], _ seams: SideSeams) -> Bool {
    shown == ends.shown || ends.ends[cell] == nil && directions.allSatisfy { seams.areAllShown(cell: cell, $0) }
  }

  private static func sides(of contested: Range<Int>, among cells: ContestedCells, pairs: Int) -> [Side] {
    contested.flatMap { k in
      Direction.later.enumerated().compactMap { index, direction in
        cells.neighbour(of: k, direction).map {
          Side(first: Int32(k), second: Int32($0), start: (2 * k + index) * pairs)
        }
      }
    }
  }

  /// The cost of a seam between two candidates along a side.
  @inline(__always)
  func cost(of side: Side, _ a: UInt8, _ b: UInt8) -> Int32 { lookup.cost(of: side, a, b) }

  /// Looks up many costs; valid as long as these are kept.
  struct Lookup {
    fileprivate let costs: UnsafePointer<UInt8>
    fileprivate let surcharges: UnsafePointer<UInt8>?
    fileprivate let candidates: Int

    @inline(__always)
    func cost(of side: Side, _ a: UInt8, _ b: UInt8) -> Int32 {
      guard a != b else { return 0 }
      let pair = side.start &+ pairIndex(Int(min(a, b)), Int(max(a, b)), count: candidates)
      guard let surcharges else { return Int32(costs[pair]) }
      return Int32(costs[pair]) &+ Int32(surcharges[pair])
    }
  }

  /// Where costs lie is asked of another module, which takes longer than to look one up.
  var lookup: Lookup { Lookup(costs: costs.base, surcharges: surcharges?.base, candidates: candidates) }

  /// The same where seams that split somebody cost more.
  /// - Parameters:
  ///   - places: where they do: cells.
  ///   - times: how many times more a seam costs that splits somebody for certain, 0...1.
  /// - Throws: `AllocationError`, `CancellationError`.
  func dearer(
    in places: RegionMask, where people: SplitPeople, times: Double, threads: Int
  ) async throws -> SeamCosts {
    let (count, each) = (candidates, candidates * (candidates - 1))
    var dearer = self
    dearer.surcharges = try await Elements(count: cells.count, each: each, grain: 256, threads: threads) {
      contested, surcharges in
      surcharges.initialize(repeating: 0, count: contested.count * each)
      for side in Self.sides(of: contested, among: cells, pairs: each / 2)
      where places.isSet[cells.cells[Int(side.first)]] {
        let shown = (0..<count).map { people.shown(UInt8($0), beside: side) }
        let first = side.start - contested.lowerBound * each
        for a in 0..<count - 1 {
          for b in a + 1..<count {
            let pair = pairIndex(a, b, count: count)
            let surcharge = Double(costs.base[side.start + pair]) * times * people.certainty(shown[a], shown[b])
            surcharges[first + pair] = UInt8(surcharge)
          }
        }
      }
    }
    return dearer
  }
}

/// Where a cell's neighbour lies.
enum Direction: CaseIterable {
  case right, below, left, above

  /// Those whose sides are not the sides of cells before.
  static let later = [right, below]

  var step: (x: Int, y: Int) {
    switch self {
    case .right: (1, 0)
    case .below: (0, 1)
    case .left: (-1, 0)
    case .above: (0, -1)
    }
  }
}

extension CellGrid {
  /// The cell next to another; nil beyond the border.
  func neighbour(of cell: Int, _ direction: Direction) -> Int? {
    let (column, row) = (column(of: cell) + direction.step.x, row(of: cell) + direction.step.y)
    return (0..<columns).contains(column) && (0..<rows).contains(row) ? row * columns + column : nil
  }
}

extension ContestedCells {
  /// The contested neighbour's position.
  func neighbour(of k: Int, _ direction: Direction) -> Int? {
    grid.neighbour(of: cells[k], direction).flatMap { position(of: $0) }
  }

  /// Whether there is a neighbour, and it is not contested.
  fileprivate func isSettled(beside k: Int, _ direction: Direction) -> Bool {
    grid.neighbour(of: cells[k], direction).map { position(of: $0) == nil } ?? false
  }
}
