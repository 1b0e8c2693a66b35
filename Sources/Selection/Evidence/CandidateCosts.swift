import Foundation
import Frames

/// What each candidate costs in each contested cell, whatever its neighbours follow: `EnergyWeights`' evidence.
struct CandidateCosts: Sendable {
  /// In `EnergyWeights.unit`ths of a pixel of a seam.
  struct Cost: BitwiseCopyable, Sendable, Hashable {
    var total: Int32
    /// The part of it that edges along borders make.
    var borders: Int32
  }

  /// Contested cell after contested cell, candidate after candidate.
  let costs: Elements<Cost>
  /// The part of the costs that are sums over the cell's pixels, in pixels of a seam; nothing but those bears on it.
  private let pixelCosts: Elements<Float>
  private let cells: ContestedCells

  /// - Parameters:
  ///   - detections: whom a detector saw; nil when none looked.
  ///   - doubt: of it that nobody stands where it saw nobody, 0...1.
  ///   - soft: frames that lack edges all over the picture.
  ///   - occluders: who stands before what others show; nil when nobody was looked for.
  ///   - old: of the same candidates, detections and soft frames for some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of candidates: Candidates, _ agreement: Agreement, _ borders: Borders, detections: Detections?,
    doubt: Float = 0, soft: CandidateSet = 0, occluders: Occluders? = nil, reusing old: CandidateCosts? = nil,
    threads: Int
  ) async throws {
    let cells = agreement.cells
    self.cells = cells
    let count = candidates.count
    let pixelCosts = try await Elements<Float>(count: cells.count, each: count, grain: 1024, threads: threads) {
      contested, costs in
      var pixels = PixelCosts(candidates, agreement, detections, doubt: doubt, soft: soft)
      for (place, k) in contested.enumerated() {
        let target = costs + place * count
        if let old, let known = old.cells.position(of: cells.cells[k]) {
          target.update(from: old.pixelCosts.base + known * count, count: count)
        } else {
          pixels.take(cell: cells.cells[k], occluder: occluders?.certainty(in: cells.cells[k]) ?? 0)
          target.update(from: pixels.costs, count: count)
        }
      }
    }
    self.pixelCosts = pixelCosts
    let companions = Companions(
      candidates: candidates, agreement: agreement, detections: detections, doubt: doubt, occluders: occluders)
    costs = try await Elements(count: cells.count, each: count, grain: 1024, threads: threads) { contested, costs in
      var edges = EdgeCosts(companions, borders)
      for (place, k) in contested.enumerated() {
        edges.take(k)
        for candidate in 0..<count {
          costs[place * count + candidate] = Cost(
            total: Int32(EnergyWeights.whole(pixelCosts[k * count + candidate] + edges.costs[candidate])),
            borders: Int32(EnergyWeights.whole(edges.costs[candidate])))
        }
      }
    }
  }
}

/// The costs of one cell after another that are sums over its pixels, in pixels of a seam.
private struct PixelCosts {
  private(set) var costs: [Float]
  private var backed: [Float]
  /// Pixels of the cell that each candidate shows.
  private var shown: [Int]
  /// Pixels of the cell at which each frame shows what the median does.
  private var showingMedian: [Int]
  private let candidates: Candidates
  private let agreement: Agreement
  private let detections: Detections?
  private let doubt: Float
  private let soft: CandidateSet
  private let backing: Backing
  private let weights = EnergyWeights.standard

  init(
    _ candidates: Candidates, _ agreement: Agreement, _ detections: Detections?, doubt: Float, soft: CandidateSet
  ) {
    (self.doubt, self.soft) = (doubt, soft)
    self.candidates = candidates
    self.agreement = agreement
    self.detections = detections
    backing = Backing(frames: candidates.frameCount)
    costs = Array(repeating: 0, count: candidates.count)
    backed = costs
    shown = Array(repeating: 0, count: candidates.count)
    showingMedian = Array(repeating: 0, count: candidates.frameCount)
  }

  /// - Parameter occluder: how surely what most frames show there stands before what others show, 0...1.
  mutating func take(cell: Int, occluder: Float) {
    for candidate in costs.indices { (costs[candidate], shown[candidate]) = (0, 0) }
    for frame in showingMedian.indices { showingMedian[frame] = 0 }
    // Frames that show what the median shows, where they are most.
    var backers = 0
    var compared = 0
    let pixels = candidates.grid.pixels(of: cell)
    for y in pixels.rows {
      for x in pixels.columns {
        guard let sets = agreement.sets(x: x, y: y) else { continue }
        add(sets)
        let backing = sets[candidates.median].same & candidates.everyFrame
        backers = max(backers, backing.nonzeroBitCount)
        backing.visit { showingMedian[$0] += 1 }
        compared += 1
        if occluder > 0 {
          sets[candidates.median].same.visit { costs[$0] += weights.occluder * occluder }
        }
        guard let detections, detections.isAnybody(x: x, y: y) else { continue }
        let usual = detections.mean(over: candidates.showing(sets), x: x, y: y)
        // Who shows the same is seen or overlooked alike.
        for candidate in costs.indices {
          let set = sets[candidate].same & candidates.everyFrame
          costs[candidate] +=
            weights.detection
            * detections.expectation(
              for: set, usual: usual, doubt: doubt, x: x, y: y)
        }
      }
    }
    for candidate in costs.indices where shown[candidate] == 0 { costs[candidate] += weights.impossible * Self.pixels }
    costs[candidates.median] += weights.mixture * Float(compared - (showingMedian.max() ?? 0))
    if backers < 2 { costs[candidates.median] += weights.impossible * Self.pixels }
  }

  /// Pixels of a cell.
  private static let pixels = Float(CellGrid.side * CellGrid.side)

  private mutating func add(_ sets: UnsafePointer<Agreement.Sets>) {
    var best: Float = 0
    var known: (set: CandidateSet, backing: Float) = (0, 0)
    for candidate in backed.indices {
      let set = sets[candidate].same & candidates.everyFrame
      if set != known.set { known = (set, backing(set)) }
      backed[candidate] = known.backing
      best = max(best, known.backing)
    }
    for candidate in costs.indices {
      if sets[candidate].same == 0 {
        costs[candidate] += weights.uncovered
      } else {
        shown[candidate] += 1
        if backed[candidate] != best {
          costs[candidate] += weights.backing * log((best + 0.5) / (backed[candidate] + 0.5))
        }
      }
      if candidate != candidates.median { costs[candidate] += weights.medianLead }
      if soft.contains(candidate) { costs[candidate] += weights.soft }
    }
  }
}

/// The costs of one cell after another that edges along borders make, in pixels of a seam.
///
/// By chance one passer-by's outline may look smoother than a wall, but not all along: borders are weighed over a window
/// of cells, whose sums are carried on from row to row and from cell to cell. All along a lamp post, before which somebody in
/// dark clothes stands whom the hedge behind hides, it does: many frames are not given up for the edges that few lack.
private struct EdgeCosts {
  /// Cells to each side over which borders are weighed together.
  private static let window = 3
  /// Borders that a pair must have in the window before they tell half of what they say.
  private static let doubt: Float = 8
  /// So many times as many frames as show what a rival shows are not given up for the edges that it lacks, unless somebody is
  /// seen in them.
  private static let majority = 3.5

  private struct Sum: BitwiseCopyable {
    var excess: Int32 = 0
    var count: Int32 = 0
  }

  private(set) var costs: [Float]
  private let companions: Companions
  private let candidates: Int
  private let pairs: Int
  private let cells: ContestedCells
  private let borders: Borders
  /// Sums over the rows of the window around `row`, by column and pair.
  private var vertical: [Sum]
  private var row: Int?
  /// Sums over the window around `column`, by pair.
  private var sums: [Sum]
  private var column = 0

  init(_ companions: Companions, _ borders: Borders) {
    self.companions = companions
    self.borders = borders
    candidates = companions.candidates.count
    cells = companions.agreement.cells
    pairs = companions.candidates.pairCount
    costs = Array(repeating: 0, count: candidates)
    vertical = Array(repeating: Sum(), count: cells.grid.columns * pairs)
    sums = Array(repeating: Sum(), count: pairs)
  }

  /// - Parameter k: a contested cell after the one before.
  mutating func take(_ k: Int) {
    move(toRow: cells.grid.row(of: cells.cells[k]))
    move(toColumn: cells.grid.column(of: cells.cells[k]))
    for candidate in costs.indices { costs[candidate] = 0 }
    let own = borders.borders.base + k * pairs
    var pair = 0
    for a in 0..<candidates - 1 {
      for b in a + 1..<candidates {
        defer { pair += 1 }
        guard own[pair].count > 0 else { continue }
        // Each border counts at either end, hence the halves.
        let mean =
          0.5 * Float(sums[pair].excess) / Float(Borders.shareUnit) / (0.5 * Float(sums[pair].count) + Self.doubt)
        let cost = EnergyWeights.standard.border * 0.5 * Float(own[pair].count) * abs(mean)
        let (loser, rival) = mean > 0 ? (a, b) : (b, a)
        if cost > costs[loser], tells(rival, against: loser, in: k) { costs[loser] = cost }
      }
    }
  }

  /// Whether edges that a rival lacks in the contested cell `k` tell anything against a candidate. A median that no frame shows
  /// is smooth since it is put together.
  private func tells(_ rival: Int, against candidate: Int, in k: Int) -> Bool {
    let (sets, everyFrame) = (companions.agreement.sets(inMiddleOf: k), companions.candidates.everyFrame)
    let few = (sets[rival].same & everyFrame).nonzeroBitCount
    guard few > 0 else { return rival != companions.candidates.median }
    let many = (sets[candidate].same & everyFrame).nonzeroBitCount
    return Double(many) < Self.majority * Double(few)
      || companions.showSomebody(with: candidate, in: cells.cells[k])
  }

  private mutating func move(toRow next: Int) {
    guard row != next else { return }
    if let row, next - row <= Self.window {
      for r in row + 1...next {
        add(row: r + Self.window, 1)
        add(row: r - Self.window - 1, -1)
      }
    } else {
      for index in vertical.indices { vertical[index] = Sum() }
      for r in next - Self.window...next + Self.window { add(row: r, 1) }
    }
    row = next
    for pair in sums.indices { sums[pair] = Sum() }
    for c in 0..<Self.window { add(column: c, 1) }
    column = -1
  }

  private mutating func move(toColumn next: Int) {
    while column < next {
      column += 1
      add(column: column + Self.window, 1)
      add(column: column - Self.window - 1, -1)
    }
  }

  private mutating func add(row: Int, _ sign: Int32) {
    guard (0..<cells.grid.rows).contains(row) else { return }
    vertical.withUnsafeMutableBufferPointer { vertical in
      for column in 0..<cells.grid.columns {
        guard let k = cells.position(column: column, row: row) else { continue }
        let (target, source) = (vertical.baseAddress! + column * pairs, borders.borders.base + k * pairs)
        for pair in 0..<pairs {
          target[pair].excess &+= sign &* Int32(source[pair].excess)
          target[pair].count &+= sign &* Int32(source[pair].count)
        }
      }
    }
  }

  private mutating func add(column: Int, _ sign: Int32) {
    guard (0..<cells.grid.columns).contains(column) else { return }
    vertical.withUnsafeBufferPointer { vertical in
      sums.withUnsafeMutableBufferPointer { sums in
        let source = vertical.baseAddress! + column * pairs
        for pair in 0..<pairs {
          sums[pair].excess &+= sign &* source[pair].excess
          sums[pair].count &+= sign &* source[pair].count
        }
      }
    }
  }
}
