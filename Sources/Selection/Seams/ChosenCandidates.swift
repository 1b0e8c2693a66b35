import CShimOpenCV
import ShimSupport

/// Chooses for every contested cell which candidate to follow, so that the energy is low: alpha-expansion by graph cuts
/// (Boykov, Veksler, Zabih, "Fast approximate energy minimization via graph cuts", PAMI 2001).
/// - Parameters:
///   - fixed: what contested cells follow in any case, by their position.
///   - start: a choice to begin with; nil begins with what each cell alone would follow.
/// - Returns: a candidate for each contested cell.
/// - Throws: `ShimError` when memory runs out, `CancellationError`.
func chooseCandidates(
  _ energy: Energy, keeping fixed: [Int: UInt8] = [:], from start: [UInt8]? = nil
) throws -> [UInt8] {
  var choice =
    start
    ?? (0..<energy.cells.count).map { k in
      let costs = (0..<energy.candidates).map { energy.cost(k, $0) }
      return UInt8(costs.indices.min { costs[$0] < costs[$1] } ?? 0)
    }
  for (k, candidate) in fixed { choice[k] = candidate }
  guard !choice.isEmpty else { return choice }
  var best = energy(choice).total
  // The first pass over all candidates finds nearly everything.
  for _ in 0..<3 {
    // The median first: it needs the least reason.
    for candidate in (0..<energy.candidates).reversed() {
      try Task.checkCancellation()
      try expand(UInt8(candidate), &choice, energy, keeping: fixed)
    }
    let now = energy(choice).total
    if now * 1000 > best * 999 { break }
    best = now
  }
  return choice
}

/// More than all seams around a cell cost.
private let forbidden: Int32 = 1 << 20

/// Lets all cells follow `alpha` that lower the energy together by doing so.
private func expand(
  _ alpha: UInt8, _ choice: inout [UInt8], _ energy: Energy, keeping fixed: [Int: UInt8]
) throws(ShimError) {
  var keep = choice.indices.map { energy.cost($0, Int(choice[$0])) }
  var take = choice.indices.map { energy.cost($0, Int(alpha)) }
  for (k, candidate) in fixed where candidate != alpha { take[k] = keep[k] + forbidden }
  var edges: [cs_edge] = []
  edges.reserveCapacity(energy.seams.sides.count)
  for side in energy.seams.sides {
    let (a, b) = (choice[Int(side.first)], choice[Int(side.second)])
    var alphaKeep = energy.seams.cost(of: side, alpha, b)
    var keepAlpha = energy.seams.cost(of: side, a, alpha)
    let keepKeep = energy.seams.cost(of: side, a, b)
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
    for k in choice.indices where take[k] < keep[k] { choice[k] = alpha }
    return
  }
  for k in choice.indices {
    let both = min(keep[k], take[k])
    keep[k] -= both
    take[k] -= both
  }
  var takes = [UInt8](repeating: 0, count: choice.count)
  try check(cs_min_cut(Int32(choice.count), keep, take, edges, Int32(edges.count), &takes))
  for k in choice.indices where takes[k] != 0 { choice[k] = alpha }
}
