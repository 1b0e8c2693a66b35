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
  private let candidates: Int
  private let cells: ContestedCells
  /// Contested cell after contested cell, candidate after candidate: seams with the median in neighbours that are
  /// settled.
  let towardsSettled: Elements<Int32>

  /// - Parameter old: of the same candidates for some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of candidates: Candidates, _ noise: [ComparedNoise], at cells: ContestedCells, reusing old: SeamCosts? = nil,
    threads: Int
  ) async throws {
    let (pairs, count) = (candidates.pairCount, candidates.count)
    self.candidates = count
    self.cells = cells
    sides = cells.cells.indices.flatMap { k in
      Direction.later.enumerated().compactMap { index, direction in
        cells.neighbour(of: k, direction).map {
          Side(first: Int32(k), second: Int32($0), start: (2 * k + index) * pairs)
        }
      }
    }
    let makeScratch: @Sendable () -> SideSeams = { SideSeams(candidates, noise) }
    costs = try await Elements(count: cells.count, each: 2 * pairs, grain: 256, threads: threads, scratch: makeScratch)
    {
      contested, costs, seams in
      costs.initialize(repeating: 0, count: contested.count * 2 * pairs)
      for (place, k) in contested.enumerated() {
        let known = old.flatMap { $0.cells.position(of: cells.cells[k]) }
        for (index, direction) in Direction.later.enumerated() where cells.neighbour(of: k, direction) != nil {
          let target = costs + (2 * place + index) * pairs
          if let old, let known, old.cells.neighbour(of: known, direction) != nil {
            target.update(from: old.costs.base + (2 * known + index) * pairs, count: pairs)
            continue
          }
          seams.measure(cell: cells.cells[k], direction)
          var pair = 0
          for a in 0..<count - 1 {
            for b in a + 1..<count {
              target[pair] = UInt8(min(seams.cost(a, b), 255))
              pair += 1
            }
          }
        }
      }
    }
    towardsSettled = try await Elements(
      count: cells.count, each: count, grain: 256, threads: threads, scratch: makeScratch
    ) { contested, costs, seams in
      costs.initialize(repeating: 0, count: contested.count * count)
      for (place, k) in contested.enumerated() {
        let target = costs + place * count
        let settled = Direction.allCases.filter { cells.isSettled(beside: k, $0) }
        if let old, let known = old.cells.position(of: cells.cells[k]),
          settled == Direction.allCases.filter({ old.cells.isSettled(beside: known, $0) })
        {
          target.update(from: old.towardsSettled.base + known * count, count: count)
          continue
        }
        for direction in settled {
          seams.measure(cell: cells.cells[k], direction)
          for a in 0..<count - 1 { target[a] += Int32(min(seams.cost(a, count - 1), 255)) }
        }
      }
    }
  }

  /// The cost of a seam between two candidates along a side.
  @inline(__always)
  func cost(of side: Side, _ a: UInt8, _ b: UInt8) -> Int32 {
    a == b ? 0 : Int32(costs.base[side.start &+ pairIndex(Int(min(a, b)), Int(max(a, b)), count: candidates)])
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

/// Measures seams along one side after another: a task's scratch.
private final class SideSeams {
  private let candidates: Candidates
  private let noise: [ComparedNoise]
  private let values: PixelValues
  private let distances: UnsafeMutablePointer<Four>
  private let sums: UnsafeMutablePointer<Four>
  private let weights = EnergyWeights.standard

  init(_ candidates: Candidates, _ noise: [ComparedNoise]) {
    self.candidates = candidates
    self.noise = noise
    values = PixelValues(candidates)
    let each = candidates.count * values.blocks
    distances = .allocate(capacity: 2 * each)
    distances.initialize(repeating: .zero, count: 2 * each)
    sums = distances + each
  }

  deinit { distances.deallocate() }

  /// Sums up, for all pairs, how visible seams are along a cell's side: in the pixels within the cell and beyond.
  func measure(cell: Int, _ direction: Direction) {
    let (dx, dy) = direction.step
    let (left, top) = candidates.grid.origin(of: cell)
    let (fromX, fromY) = (dx > 0 ? left + CellGrid.side - 1 : left, dy > 0 ? top + CellGrid.side - 1 : top)
    sums.update(repeating: .zero, count: candidates.count * values.blocks)
    for step in 0..<CellGrid.side {
      for beyond in 0..<2 {
        let x = min(fromX + (dx != 0 ? beyond * dx : step), candidates.size.width - 1)
        let y = min(fromY + (dx != 0 ? step : beyond * dy), candidates.size.height - 1)
        values.gather(x: x, y: y)
        values.pairDistances(noise, into: distances)
        add(covering: candidates.covering(x: x, y: y))
      }
    }
  }

  /// What a frame does not show has no seam with anything.
  private func add(covering: CandidateSet) {
    let scale = 1 / (weights.seam.upperBound - weights.seam.lowerBound)
    let invisible = weights.seam.lowerBound * weights.seam.lowerBound
    let blocks = values.blocks
    for a in 0..<candidates.count - 1 where covering.contains(a) {
      for b in (a + 1) / 4..<blocks {
        let place = a &* blocks &+ b
        // Most candidates agree, and roots are slow.
        guard distances[place].max() > invisible else { continue }
        var visible = (distances[place].squareRoot() - weights.seam.lowerBound) * scale
        visible.replace(with: 0, where: visible .< 0)
        visible.replace(with: 1, where: visible .> 1)
        let bits = covering &>> CandidateSet(truncatingIfNeeded: 4 &* b)
        if bits & 15 != 15 {
          for lane in 0..<4 where !bits.contains(lane) { visible[lane] = 0 }
        }
        sums[place] += visible
      }
    }
  }

  /// Of the pair a < b along the side that was measured, as a whole number.
  @inline(__always)
  func cost(_ a: Int, _ b: Int) -> Int {
    EnergyWeights.whole(sums[a &* values.blocks &+ b / 4][b % 4]) + weights.freeSeam
  }
}
