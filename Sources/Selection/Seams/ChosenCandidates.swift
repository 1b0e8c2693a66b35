import CShimOpenCV
import ShimSupport

/// Chooses for every contested cell which candidate to follow, so that the energy is low.
/// - Parameters:
///   - fixed: what contested cells follow in any case, by their position.
/// - Returns: a candidate for each contested cell.
/// - Throws: `ShimError` when memory runs out, `CancellationError`.
func chooseCandidates(_ energy: Energy, keeping fixed: [Int: UInt8] = [:]) throws -> [UInt8] {
  // What each cell alone would follow.
  var choice = (0..<energy.cells.count).map { k in
    let costs = (0..<energy.candidates).map { energy.cost(k, $0) }
    return UInt8(costs.indices.min { costs[$0] < costs[$1] } ?? 0)
  }
  for (k, candidate) in fixed { choice[k] = candidate }
  return try chooseCandidates(energy, among: choice.indices.filter { fixed[$0] == nil }, from: choice)
}

/// The same for some of the contested cells: the others keep what they follow.
/// - Parameters:
///   - free: positions of contested cells, ascending.
///   - start: a choice to begin with.
/// - Throws: `ShimError` when memory runs out, `CancellationError`.
func chooseCandidates(_ energy: Energy, among free: [Int], from start: [UInt8]) throws -> [UInt8] {
  guard !free.isEmpty else { return start }
  var search = CandidateSearch(energy, free, choice: start)
  var best = search.total
  // Whom nothing followed anew since the choice is what it is: nothing would again.
  var idle: CandidateSet = 0
  // The first pass over all candidates finds nearly everything.
  for _ in 0..<3 {
    // The median first: it needs the least reason.
    for candidate in (0..<energy.candidates).reversed() where !idle.contains(candidate) {
      try Task.checkCancellation()
      idle = try search.expand(UInt8(candidate)) ? 0 : idle | CandidateSet(only: candidate)
    }
    let now = search.total
    if now * 1000 > best * 999 { break }
    best = now
  }
  return search.choice
}

/// Alpha-expansion by graph cuts (Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001).
private struct CandidateSearch {
  /// A side of cells of which one at least is free.
  private struct Side {
    var side: SeamCosts.Side
    /// Where its cells stand among the free ones; -1 for one that is not.
    var first: Int32
    var second: Int32
  }

  private let energy: Energy
  private let free: [Int]
  private let sides: [Side]
  private(set) var choice: [UInt8]

  init(_ energy: Energy, _ free: [Int], choice: [UInt8]) {
    self.energy = energy
    self.free = free
    self.choice = choice
    var vertex = [Int32](repeating: -1, count: choice.count)
    for (place, k) in free.enumerated() { vertex[k] = Int32(place) }
    sides = energy.seams.sides.compactMap { side in
      let (first, second) = (vertex[Int(side.first)], vertex[Int(side.second)])
      return first < 0 && second < 0 ? nil : Side(side: side, first: first, second: second)
    }
  }

  /// What the choice costs, as far as it is free.
  var total: Int {
    let own = free.reduce(0) { $0 + Int(energy.cost($1, Int(choice[$1]))) }
    return sides.reduce(own) {
      $0 + Int(energy.seam($1.side, choice[Int($1.side.first)], choice[Int($1.side.second)]))
    }
  }

  /// Lets all cells follow `alpha` that lower the energy together by doing so.
  /// - Returns: whether any follows it that did not.
  mutating func expand(_ alpha: UInt8) throws(ShimError) -> Bool {
    var keep = free.map { energy.cost($0, Int(choice[$0])) }
    var take = free.map { energy.cost($0, Int(alpha)) }
    var edges: [cs_edge] = []
    edges.reserveCapacity(sides.count)
    for side in sides {
      let (a, b) = (choice[Int(side.side.first)], choice[Int(side.side.second)])
      var alphaKeep = energy.seam(side.side, alpha, b)
      var keepAlpha = energy.seam(side.side, a, alpha)
      let keepKeep = energy.seam(side.side, a, b)
      guard side.first >= 0, side.second >= 0 else {
        let (place, taking) = side.first >= 0 ? (Int(side.first), alphaKeep) : (Int(side.second), keepAlpha)
        keep[place] += keepKeep
        take[place] += taking
        continue
      }
      // Agreement is not transitive, so a seam may cost more than two: cut the difference.
      let missing = keepKeep - alphaKeep - keepAlpha
      if missing > 0 {
        alphaKeep += (missing + 1) / 2
        keepAlpha += (missing + 1) / 2
      }
      keep[Int(side.first)] += keepAlpha
      keep[Int(side.second)] += keepKeep - keepAlpha
      let weight = alphaKeep + keepAlpha - keepKeep
      if weight > 0 { edges.append(cs_edge(from: side.first, to: side.second, capacity: weight)) }
    }
    guard !edges.isEmpty else {
      return follow(alpha) { take[$0] < keep[$0] }
    }
    for place in free.indices {
      let both = min(keep[place], take[place])
      keep[place] -= both
      take[place] -= both
    }
    var takes = [UInt8](repeating: 0, count: free.count)
    try check(cs_min_cut(Int32(free.count), keep, take, edges, Int32(edges.count), &takes))
    return follow(alpha) { takes[$0] != 0 }
  }

  /// Lets some of the free cells, by where they stand, follow a candidate; whether any did not before.
  private mutating func follow(_ alpha: UInt8, where isTaking: (Int) -> Bool) -> Bool {
    var isAny = false
    for (place, k) in free.enumerated() where isTaking(place) && choice[k] != alpha {
      choice[k] = alpha
      isAny = true
    }
    return isAny
  }
}
