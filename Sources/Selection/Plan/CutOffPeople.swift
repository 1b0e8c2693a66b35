import Frames

/// Puts somebody whom the ends of frames cut off into the plate as a frame shows him that goes on: at the plate's rim, where that
/// one alone shows anything, half of him would be left, and the other half taken away.
struct CutOffPeople: Sendable {
  let candidates: Candidates
  let noise: [ComparedNoise]
  let ends: FrameEnds

  /// Pixels of a seam that must show where somebody is cut off, and from which on one shows in a cell.
  private static let (leastSeam, visible): (Float, Float) = (16, 1)
  /// What only frames that go on show must be at least this share of what changes when somebody is put back: else he would
  /// stand there for a sliver of him.
  private static let leastShown = 0.13

  /// - Parameter shown: what the plate shows, in the small pictures' pixels.
  init(candidates: Candidates, noise: [ComparedNoise], within shown: Region) {
    self.candidates = candidates
    self.noise = noise
    ends = FrameEnds(of: candidates, noise, within: shown)
  }

  /// - Parameters:
  ///   - settled: what is chosen.
  ///   - arguments: by which it was.
  ///   - soft: frames that lack edges all over the picture.
  /// - Returns: what is chosen with him, and what can be said for it in his cells as well; nil where nobody is cut off.
  /// - Throws: `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  func whole(
    in settled: Contest.Settlement, by arguments: Contest.Arguments, _ departures: Departures, soft: CandidateSet,
    threads: Int
  ) async throws -> (Contest.Arguments, Contest.Settlement)? {
    let places = places()
    guard !places.isEmpty else { return nil }
    let wider = try await arguments.widened(
      to: cells(beside: places, departures), noise, soft: soft, threads: threads)
    let energy = wider.energy.with(
      try await SeamCosts(
        of: candidates, noise, at: wider.cells, ends: ends, reusing: wider.energy.seams, threads: threads))
    let people = WholePeople(companions: wider.companions, energy: energy)
    var plate = settled.moved(to: wider.cells, from: arguments.cells, otherwise: UInt8(candidates.median))
    let before = plate.choice
    for place in places {
      guard let cut = try best(of: place, in: plate.choice, people) else { continue }
      for k in cut.cells { (plate.choice[k], plate.whole[k]) = (cut.frame, cut.frame) }
    }
    guard plate.choice != before else { return nil }
    plate.decisions = try await wider.decisions(
      plate.choice, noise, departures, reusing: settled.decisions, threads: threads)
    return (wider, plate)
  }

  /// Connected cells in which the median's ends show, the most first.
  private func places() -> [[Int]] {
    func cost(_ cell: Int) -> Float { ends.ends[cell]?.costs[candidates.median] ?? 0 }
    return RegionMask(size: candidates.grid.size, pixels: ends.ends.keys.filter { cost($0) >= Self.visible })
      .regions(of: true, joinedOver: .square(2))
      .filter { $0.reduce(0) { $0 + cost($1) } >= Self.leastSeam }
      .sorted { $0.count > $1.count }
  }

  /// The cells that somebody may fill who is cut off in some places: connected ones in which a frame that goes on there departs
  /// from the median.
  private func cells(beside places: [[Int]], _ departures: Departures) -> RegionMask {
    let grid = candidates.grid
    var mask = RegionMask(size: grid.size, pixels: places.joined())
    for frame in 0..<candidates.frameCount {
      let starts = Set(places.joined().filter { ends.ends[$0]?.goingOn.contains(frame) ?? false })
      guard !starts.isEmpty else { continue }
      for cell in departures.cells(of: frame, from: starts, in: grid) { mask.isSet[cell] = true }
    }
    return mask
  }

  /// The frame that goes on and fits best at a place; nil where none is worth it.
  private func best(of place: [Int], in choice: [UInt8], _ people: WholePeople) throws -> PlaceCut.Cut? {
    let cells = place.compactMap(people.energy.cells.position(of:))
    let goingOn = place.reduce(0) { $0 | (ends.ends[$1]?.goingOn ?? 0) }
    let cutting = people.placeCut(in: choice, PlaceCut.Window(around: cells, people.energy))
    let cuts = try (0..<candidates.frameCount).filter(goingOn.contains).compactMap { try cutting.cut(cells, to: $0) }
    return people.worthwhile(cuts, in: choice).first { isMoreThanASliver($0, of: goingOn, in: choice, people) }
  }

  /// Whether enough of whom a cut puts back is there in any case, beyond the ends.
  private func isMoreThanASliver(
    _ cut: PlaceCut.Cut, of goingOn: CandidateSet, in choice: [UInt8], _ people: WholePeople
  ) -> Bool {
    let (grid, cells) = (candidates.grid, people.energy.cells.cells)
    var (beyond, changing) = (0, 0)
    for k in cut.cells {
      let part = grid.pixels(of: cells[k]).intersection(ends.shown)
      for y in part.rows {
        for x in part.columns where candidates.covering(x: x, y: y) & candidates.everyFrame & ~goingOn == 0 {
          beyond += 1
        }
      }
      let isAnother = people.companions.agreement.differing(from: Int(choice[k]), in: cells[k]).contains(Int(cut.frame))
      changing += isAnother ? grid.pixelCount(of: cells[k]) : 0
    }
    return Double(beyond) >= Self.leastShown * Double(changing)
  }
}
