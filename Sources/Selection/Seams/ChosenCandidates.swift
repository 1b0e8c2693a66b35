import CShimOpenCV
import Frames
import ShimSupport

/// Chooses for every contested cell which candidate to follow, so that the energy is low.
/// - Parameters:
///   - fixed: what contested cells follow in any case, by their position.
///   - threads: that work at once; the choice does not depend on it.
/// - Returns: a candidate for each contested cell.
/// - Throws: `ShimError` when memory runs out, `CancellationError`.
func chooseCandidates(_ energy: Energy, keeping fixed: [Int: UInt8] = [:], threads: Int) throws -> [UInt8] {
  // What each cell alone would follow.
  var choice = (0..<energy.cells.count).map { k in
    let costs = (0..<energy.candidates).map { energy.cost(k, $0) }
    return UInt8(costs.indices.min { costs[$0] < costs[$1] } ?? 0)
  }
  for (k, candidate) in fixed { choice[k] = candidate }
  return try chooseCandidates(energy, among: choice.indices.filter { fixed[$0] == nil }, from: choice, threads: threads)
}

/// The same for some of the contested cells: the others keep what they follow.
/// - Parameters:
///   - free: positions of contested cells, ascending.
///   - start: a choice to begin with.
///   - threads: that work at once; the choice does not depend on it.
/// - Throws: `ShimError` when memory runs out, `CancellationError`.
func chooseCandidates(
  _ energy: Energy, among free: [Int], from start: [UInt8], threads: Int
) throws -> [UInt8] {
  guard !free.isEmpty else { return start }
  // Cells of different parts have nothing to do with each other, but that a search ends for all of them.
  var searches = energy.seams.parts(of: free, in: start.count).map { CandidateSearch(energy, $0, choice: start) }
  func total() -> Int { searches.reduce(0) { $0 + $1.total } }
  var best = total()
  // The first pass over all candidates finds nearly everything.
  for _ in 0..<3 {
    // The median first: it needs the least reason.
    for candidate in (0..<energy.candidates).reversed() {
      try Task.checkCancellation()
      let steps = try expansions(of: searches, UInt8(candidate), threads: threads)
      let isAnyCut = steps.contains(where: \.isCut)
      for (part, step) in steps.enumerated() { searches[part].follow(UInt8(candidate), step, beside: isAnyCut) }
    }
    let now = total()
    if now * 1000 > best * 999 { break }
    best = now
  }
  var choice = start
  for search in searches { search.write(to: &choice) }
  return choice
}

private func expansions(
  of searches: [CandidateSearch], _ candidate: UInt8, threads: Int
) throws(ShimError) -> [CandidateSearch.Expansion] {
  try mapIndicesInPlace(count: searches.count, threads: threads) { (part: Int) throws(ShimError) in
    try searches[part].expansion(candidate)
  }
}

/// Alpha-expansion by graph cuts (Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001),
/// in cells that have no neighbours in others that are free.
private struct CandidateSearch: Sendable {
  /// A side of cells of which one at least is free.
  private struct Side {
    var side: SeamCosts.Side
    /// Where its cells stand among the free ones; -1 for one that is not.
    var first: Int32
    var second: Int32
    /// What any seam costs in addition.
    var division: Int32

    @inline(__always)
    func seam(_ a: UInt8, _ b: UInt8, _ seams: SeamCosts.Lookup) -> Int32 {
      a == b ? 0 : seams.cost(of: side, a, b) &+ division
    }
  }

  /// Who takes a candidate, cell by free cell.
  struct Expansion: Sendable {
    enum Answer: Sendable { case keep, take, either }
    var answers: [Answer]
    /// Whether any cell's answer depends on a neighbour's. Where none does in any part, who may do either keeps what he has.
    var isCut: Bool
  }

  private let seams: SeamCosts
  private let candidates: Int
  private let free: [Int]
  /// Free cell after free cell, what each candidate costs, whatever neighbours follow.
  private let costs: [Int32]
  private let sides: [Side]
  private var choice: [UInt8]
  /// Whom nothing followed anew since the choice is what it is, with whether it was cut: nothing would again.
  private var idle: [UInt8: Bool] = [:]

  init(_ energy: Energy, _ free: [Int], choice: [UInt8]) {
    (seams, candidates) = (energy.seams, energy.candidates)
    self.free = free
    self.choice = choice
    costs = free.flatMap { k in (0..<energy.candidates).map { energy.cost(k, $0) } }
    var vertex = [Int32](repeating: -1, count: choice.count)
    for (place, k) in free.enumerated() { vertex[k] = Int32(place) }
    sides = energy.seams.sides.compactMap { side in
      let (first, second) = (vertex[Int(side.first)], vertex[Int(side.second)])
      return first < 0 && second < 0
        ? nil : Side(side: side, first: first, second: second, division: energy.division(of: side))
    }
  }

  /// What the choice costs, as far as it is free.
  var total: Int {
    let own = free.indices.reduce(0) { $0 + Int(cost($1, choice[free[$1]])) }
    let seams = seams.lookup
    return sides.reduce(own) { $0 + Int($1.seam(choice[Int($1.side.first)], choice[Int($1.side.second)], seams)) }
  }

  /// The cost of a candidate in a free cell, by its place among them.
  @inline(__always)
  private func cost(_ place: Int, _ candidate: UInt8) -> Int32 { costs[place &* candidates &+ Int(candidate)] }

  /// Which cells lower the energy together by following `alpha`.
  func expansion(_ alpha: UInt8) throws(ShimError) -> Expansion {
    if let isCut = idle[alpha] { return Expansion(answers: [], isCut: isCut) }
    var keep = free.indices.map { cost($0, choice[free[$0]]) }
    var take = free.indices.map { cost($0, alpha) }
    var edges: [cs_edge] = []
    edges.reserveCapacity(sides.count)
    let seams = seams.lookup
    for side in sides {
      let (a, b) = (choice[Int(side.side.first)], choice[Int(side.side.second)])
      var alphaKeep = side.seam(alpha, b, seams)
      var keepAlpha = side.seam(a, alpha, seams)
      let keepKeep = side.seam(a, b, seams)
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
      if weight > 0 { edges.append(cs_edge(first: side.first, second: side.second, forth: weight, back: 0)) }
    }
    guard !edges.isEmpty else {
      let answers = zip(keep, take).map { keep, take -> Expansion.Answer in
        keep == take ? .either : keep < take ? .keep : .take
      }
      return Expansion(answers: answers, isCut: false)
    }
    for place in free.indices {
      let both = min(keep[place], take[place])
      keep[place] -= both
      take[place] -= both
    }
    var takes = [UInt8](repeating: 0, count: free.count)
    try check(cs_min_cut(Int32(free.count), keep, take, edges, Int32(edges.count), &takes))
    return Expansion(answers: takes.map { $0 != 0 ? .take : .keep }, isCut: true)
  }

  /// Lets cells follow a candidate.
  /// - Parameter isAnyCut: whether this part or another was cut.
  mutating func follow(_ alpha: UInt8, _ expansion: Expansion, beside isAnyCut: Bool) {
    guard idle[alpha] == nil else { return }
    var (isAny, isOpen) = (false, false)
    for (k, answer) in zip(free, expansion.answers) where answer != .keep && choice[k] != alpha {
      if answer == .take || isAnyCut {
        choice[k] = alpha
        isAny = true
      } else {
        isOpen = true
      }
    }
    if isAny { idle = [:] } else if !isOpen { idle[alpha] = expansion.isCut }
  }

  /// Writes what free cells follow.
  func write(to choice: inout [UInt8]) {
    for k in free { choice[k] = self.choice[k] }
  }
}
