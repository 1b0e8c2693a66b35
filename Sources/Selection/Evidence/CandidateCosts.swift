import Clipping
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
  ///   - companions: of the candidates.
  ///   - borders: between them, in the cells of the companions' agreement.
  ///   - soft: frames that lack edges all over the picture.
  ///   - old: of the same candidates, detections and soft frames for some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of companions: Companions, _ borders: Borders, soft: CandidateSet = 0, reusing old: CandidateCosts? = nil,
    threads: Int
  ) async throws {
    let cells = companions.agreement.cells
    self.cells = cells
    let count = companions.candidates.count
    let pixelCosts = try await Elements<Float>(count: cells.count, each: count, grain: 1024, threads: threads) {
      contested, costs in
      var pixels = PixelCosts(companions, soft: soft)
      for (place, k) in contested.enumerated() {
        let target = costs + place * count
        if let old, let known = old.cells.position(of: cells.cells[k]) {
          target.update(from: old.pixelCosts.base + known * count, count: count)
        } else {
          pixels.take(cell: cells.cells[k])
          target.update(from: pixels.costs, count: count)
        }
      }
    }
    self.pixelCosts = pixelCosts
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
  private let companions: Companions
  private let candidates: Candidates
  private let agreement: Agreement
  private let detections: Detections?
  private let doubt: Float
  private let soft: CandidateSet
  /// Of the frames that clip what others show, how little they are to be believed.
  private let doubts: [(frame: Int, doubts: Plane)]
  private let backing: Backing
  private let weights = EnergyWeights.standard

  init(_ companions: Companions, soft: CandidateSet) {
    (candidates, agreement) = (companions.candidates, companions.agreement)
    (detections, doubt) = (companions.detections, companions.doubt)
    self.companions = companions
    self.soft = soft
    doubts = candidates.list.enumerated().compactMap { position, candidate in
      candidate.doubts.map { (frame: position, doubts: $0) }
    }
    backing = Backing(frames: candidates.frameCount)
    costs = Array(repeating: 0, count: candidates.count)
    backed = costs
    shown = Array(repeating: 0, count: candidates.count)
    showingMedian = Array(repeating: 0, count: candidates.frameCount)
  }

  mutating func take(cell: Int) {
    // How surely what most frames show there stands before what others show.
    let occluder = companions.occluders?.certainty(in: cell) ?? 0
    let isNear = companions.isNear(cell)
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
        for (frame, doubts) in doubts {
          costs[frame] += weights.doubted * Float(doubts[x, y]) / Float(DoubtedFrame.certain)
        }
        let backing = sets[candidates.median].same & candidates.everyFrame
        backers = max(backers, backing.nonzeroBitCount)
        backing.visit { showingMedian[$0] += 1 }
        compared += 1
        if occluder > 0 {
          sets[candidates.median].same.visit { costs[$0] += weights.occluder * occluder }
        }
        if isNear {
          let own = sets[candidates.reference].same
          for candidate in costs.indices where !own.contains(candidate) { costs[candidate] += weights.near }
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
