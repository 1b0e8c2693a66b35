import Frames

/// Finds what a plate shows where no edit says otherwise. Two plates are proposed: one by the energy, and one in which seams
/// that split somebody are dearer. Wherever they look different, the second is taken if it shows clearly fewer people and less of its
/// seams (after Lempitsky, Rother, Roth, Blake, "Fusion moves for Markov random field optimization", PAMI 2010).
struct ProposedPlates {
  let companions: Companions
  let energy: Energy
  /// What a choice means for stacking; quicker if it is known for another one.
  let decide: (_ choice: [UInt8], _ known: CellDecisions?) async throws -> CellDecisions
  let threads: Int
  private var candidates: Candidates { companions.candidates }

  /// How many times more a seam costs that splits somebody for certain, in the second plate.
  private static let split = 0.5
  /// Pixels of seams that split somebody, of connected cells, below which a second plate would hardly show less.
  private static let leastSplit = 16.0
  /// Pixels of seams that a place must save to follow the second plate: less is as often worse as it is better.
  private static let leastSaved = 24.0

  struct Proposal {
    /// What is chosen before anybody is put back whole, and what that means.
    var first: [UInt8]
    var decisions: CellDecisions
    /// Whom one frame shows whole, by contested cell.
    var whole: [Int: UInt8]
    /// What is chosen around them.
    var choice: [UInt8]
  }

  /// - Throws: `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  func settled() async throws -> Contest.Settlement {
    var plate = try await proposal(by: energy)
    let people = SplitPeople(agreement: companions.agreement, everyFrame: candidates.everyFrame)
    let places = places(where: people, areSplitIn: plate.choice)
    if places.isSet.contains(true) {
      let seams = try await energy.seams.dearer(in: places, where: people, times: Self.split, threads: threads)
      let sparing = Energy(
        cells: energy.cells, candidates: energy.candidates, evidence: energy.evidence, seams: seams)
      take(from: try await proposal(by: sparing, keeping: (plate, places)), into: &plate)
    }
    let isFirst = plate.choice == plate.first
    return Contest.Settlement(
      choice: plate.choice, whole: plate.whole,
      decisions: isFirst ? plate.decisions : try await decide(plate.choice, plate.decisions))
  }

  /// - Parameter other: a plate that is kept outside some places, which are cells; no side lies between contested cells in them
  ///   and others. Nil to propose one of all cells.
  private func proposal(
    by energy: Energy, keeping other: (plate: Proposal, places: RegionMask)? = nil
  ) async throws -> Proposal {
    /// What the other plate shows outside the places, by contested cell.
    func kept(_ choice: (Proposal) -> [UInt8]) -> [Int: UInt8] {
      guard let other else { return [:] }
      return Dictionary(
        uniqueKeysWithValues: choice(other.plate).enumerated()
          .filter { !other.places.isSet[energy.cells.cells[$0.offset]] }.map { ($0.offset, $0.element) })
    }
    let first = try chooseCandidates(energy, keeping: kept(\.first), threads: threads)
    let decisions = try await decide(first, other?.plate.decisions)
    let unresolved = decisions.unresolved(in: candidates.grid)
    let whole = try await wholePeople(in: first, other.map { unresolved.intersection($0.places) } ?? unresolved)
    var choice = first
    if whole.isEmpty {
      for (k, candidate) in kept(\.choice) { choice[k] = candidate }
    } else {
      choice = try chooseCandidates(energy, keeping: kept(\.choice).merging(whole) { $1 }, threads: threads)
    }
    return Proposal(first: first, decisions: decisions, whole: whole, choice: choice)
  }

  /// The people in unresolved cells whom no frame shows gone, as one frame shows them.
  private func wholePeople(in choice: [UInt8], _ unresolved: RegionMask) async throws -> [Int: UInt8] {
    try await WholePeople(companions: companions, energy: energy)
      .found(in: choice, unresolved: unresolved, threads: threads)
  }

  /// The connected contested cells in which seams split somebody so that it shows.
  private func places(where people: SplitPeople, areSplitIn choice: [UInt8]) -> RegionMask {
    let split = people.split(by: choice, energy)
    let size = candidates.grid.size
    let regions = RegionMask(size: size, pixels: energy.cells.cells).regions(of: true)
    return RegionMask(
      size: size, pixels: regions.filter { $0.reduce(0) { $0 + split[$1] } >= Self.leastSplit }.joined())
  }

  /// Lets a plate follow another one wherever they look different and the other shows clearly less, whatever edges it has.
  func take(from other: Proposal, into plate: inout Proposal) {
    let differing = energy.cells.cells.indices.filter { k in
      let (own, others) = (Int(plate.choice[k]), Int(other.choice[k]))
      return own != others
        && companions.agreement.differing(from: own, in: energy.cells.cells[k]).contains(others)
    }
    let mask = RegionMask(size: candidates.grid.size, pixels: differing.map { energy.cells.cells[$0] })
    let regions = mask.regions(of: true).map { $0.compactMap(energy.cells.position(of:)) }
    let changes = energy.changes(from: plate.choice, to: other.choice, in: regions)
    let least = Self.leastSaved * Double(EnergyWeights.unit)
    for (cells, change) in zip(regions, changes) where change.shown <= -least {
      for k in cells {
        plate.choice[k] = other.choice[k]
        plate.whole[k] = other.choice[k]
      }
    }
  }
}
