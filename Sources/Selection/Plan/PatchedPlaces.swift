import Frames

/// Lets one frame have a place in which people are left in pieces, with whoever passes there in it.
///
/// Where most frames show what is behind a passer-by, the median has settled it. Whoever stands behind him can come from his frame
/// only if he does, too, or else a seam would show between the two: his cells are contested after all.
struct PatchedPlaces: Sendable {
  let candidates: Candidates
  let noise: [ComparedNoise]

  /// Pixels of seams that split somebody, in a place, below which he is as good as whole.
  private static let leastSplit = 16.0

  /// - Parameters:
  ///   - settled: what is chosen.
  ///   - arguments: by which it was.
  ///   - soft: frames that lack edges all over the picture.
  /// - Returns: what is chosen with the passers-by, and what can be said for it in their cells as well; nil where nobody is left in
  ///   pieces whom a frame shows whole.
  /// - Throws: `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  func whole(
    in settled: Contest.Settlement, by arguments: Contest.Arguments, _ departures: Departures, soft: CandidateSet,
    threads: Int
  ) async throws -> (Contest.Arguments, Contest.Settlement)? {
    let places = places(in: settled, by: arguments)
    let passers = passers(in: places, departures, beyond: arguments.cells)
    guard passers.isSet.contains(true) else { return nil }
    let wider = try await arguments.widened(to: passers, noise, soft: soft, threads: threads)
    var plate = settled.moved(to: wider.cells, from: arguments.cells, otherwise: UInt8(candidates.median))
    let found = try await WholePeople(companions: wider.companions, energy: wider.energy)
      .ofOneFrame(in: places, of: plate.choice, threads: threads)
    guard !found.isEmpty else { return nil }
    for (k, candidate) in found { (plate.choice[k], plate.whole[k]) = (candidate, candidate) }
    plate.decisions = try await wider.decisions(
      plate.choice, noise, departures, reusing: settled.decisions, threads: threads)
    return (wider, plate)
  }

  /// Unresolved connected cells in which seams split somebody so that it shows, the most first.
  private func places(in settled: Contest.Settlement, by arguments: Contest.Arguments) -> [[Int]] {
    let people = SplitPeople(agreement: arguments.agreement, everyFrame: candidates.everyFrame)
    let split = people.split(by: settled.choice, arguments.energy)
    return settled.decisions.unresolved(in: candidates.grid).regions(of: true)
      .filter { $0.count >= WholePeople.least && $0.reduce(0) { $0 + split[$1] } >= Self.leastSplit }
      .sorted { $0.count > $1.count }
  }

  /// Where those go on who are in some places, beyond what is contested: connected cells in which a frame departs from the median.
  private func passers(in places: [[Int]], _ departures: Departures, beyond contested: ContestedCells) -> RegionMask {
    let grid = candidates.grid
    var mask = RegionMask(size: grid.size)
    guard !places.isEmpty else { return mask }
    let starts = Set(places.joined())
    for frame in 0..<candidates.frameCount {
      for cell in departures.cells(of: frame, from: starts, in: grid) where contested.position(of: cell) == nil {
        mask.isSet[cell] = true
      }
    }
    return mask
  }
}
