import Frames

/// Puts somebody whom no frame shows gone into the plate as one frame shows him, instead of in pieces.
///
/// Every place that stays unresolved is asked anew, without outlines, which make half people cheap. First the choice is made
/// once more there: what most frames show and where nobody is seen, by a detector or by his outline, is free, whatever edges
/// somebody hides who stands before it. So may be what fewer show where the detector sees somebody in all others: both are tried,
/// and the plate that shows fewer people stays, if its seams show hardly more. What is left is somebody's, and he comes from one
/// frame: by one minimum cut per frame, this frame at the place and as far around it as it takes for the seam to vanish, or the
/// plate so far. If hardly anything of its seam shows, the frame wins that hides least of what is free, or whose seam shows
/// clearly less, and the choice around it is made a last time. How much of a place's rim belongs to him is tried out.
struct WholePeople: Sendable {
  let companions: Companions
  let energy: Energy
  private var candidates: Candidates { companions.candidates }

  /// Cells of a place at least.
  static let least = 16
  /// Cells around a place that are asked anew with it.
  private static let margin = 2
  /// Cells of rim that are left to the seam.
  private static let rims = [1, 2]
  /// What it costs to change.
  private static let change = PlaceCut.Change(cell: 1 / EnergyWeights.unit, pixel: 0.01)
  /// How much of the new seam may show: pixels, and a share of what shows now, and a share where much is saved. Otherwise
  /// somebody would be cut in two, or a free place given away for nothing.
  private static let (shown, shownShare, shownWhereMuchIsSaved) = (4.0, 0.03, 0.06)
  /// Much is so many times as much as what is free is worth that he fills. Where it is less, a crowd would come back for the sake
  /// of a few pieces of it.
  private static let much = 2.0
  /// What it costs that somebody fills a cell that all other frames show free, in pixels of a seam: of those who fit, whoever
  /// hides least of what is free is best.
  private static let givenAway = 1.0
  /// What each pixel of the new seam costs in addition that shows beyond what always may: of those who fit, whoever is cut off
  /// is worse than whoever hides a little more.
  private static let cutOff = 4.0
  /// So much of a seam must be saved, in pixels, for each such cell, and for one that half of the frames show free: otherwise
  /// somebody else would be fetched into a free place for the sake of a few cells beside it.
  private static let leastSaved = (few: 0.1, half: 0.2)
  /// And so many times as much where seams count for whom they split, which makes them dearer.
  private static let caution = 12.0
  /// Shares of these that are enough where both ways of counting agree: an arm that is left in the air shows little of a seam,
  /// but all of it splits somebody.
  private static let together = (visible: 0.6, splitting: 0.375)
  /// Less of a place than this share need not change.
  private static let falseAlarm = 0.05

  /// What contested cells follow that change where one frame has each of some places for itself, which saves much of the seams
  /// that split somebody; empty where none is worth it.
  /// - Parameter places: cells.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func ofOneFrame(in places: [[Int]], of choice: [UInt8], threads: Int) async throws -> [Int: UInt8] {
    var plate = choice
    for place in places {
      var best: Placed?
      for core in cores(of: place) {
        let cutting = placeCut(in: plate, PlaceCut.Window(around: core, energy))
        guard let cut = try await bestCut(of: core, by: cutting, threads: threads),
          Self.savesMuch(cut.splitting, filling: filled(by: cut, in: plate))
        else { continue }
        let next = try placed(cut, in: plate, keeping: [], [], energy, threads: threads)
        if next.seams < best?.seams ?? .max { best = next }
      }
      if let best { plate = best.plate }
    }
    return Dictionary(uniqueKeysWithValues: plate.indices.filter { plate[$0] != choice[$0] }.map { ($0, plate[$0]) })
  }

  /// A place, and the cells that are asked anew with it.
  private struct Place {
    /// Positions of contested cells.
    var cells: [Int]
    var surroundings: RegionMask
    /// Positions of the surroundings' contested cells that no place before has settled.
    var open: [Int]
  }

  /// - Parameters:
  ///   - choice: a candidate for each contested cell.
  ///   - unresolved: the cells that the choice did not settle.
  /// - Returns: what contested cells follow from now on, by their position; empty where all may stay.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func found(
    in choice: [UInt8], unresolved: RegionMask, threads: Int
  ) async throws -> [Int: UInt8] {
    var plate = choice
    var fixed: [Int: UInt8] = [:]
    let places = unresolved.regions(of: true).map { $0.compactMap(energy.cells.position(of:)) }
      .filter { $0.count >= Self.least }.sorted { $0.count > $1.count }
    for cells in places {
      let surroundings = mask(of: cells).grown(by: Self.margin)
      let open = energy.cells.cells.indices.filter {
        surroundings.isSet[energy.cells.cells[$0]] && fixed[$0] == nil
      }
      let settled = try await settled(
        Place(cells: cells, surroundings: surroundings, open: open), in: plate, threads: threads)
      for (k, candidate) in settled {
        plate[k] = candidate
        fixed[k] = candidate
      }
    }
    return fixed
  }

  /// What contested cells follow in and around a place; empty where all may stay.
  private func settled(_ place: Place, in choice: [UInt8], threads: Int) async throws -> [Int: UInt8] {
    let local = energy.keepingWhole(in: place.surroundings)
    let anew = try chooseCandidates(local, among: place.open, from: choice, threads: threads)
    let free = place.open.filter { companions.showFree(with: Int(anew[$0]), in: energy.cells.cells[$0]) }
    var filled = try await filling(place, anew, free: free, in: choice, local, threads: threads)
    let clear = Set(place.open).subtracting(free)
      .filter { companions.showNobody(with: Int(anew[$0]), in: energy.cells.cells[$0]) }
    if !clear.isEmpty {
      let clearer = try await filling(place, anew, free: free + clear, in: choice, local, threads: threads)
      if isClearer(clearer.plate, than: filled.plate, local) { filled = clearer }
    }
    let (plate, settled) = filled
    let isChanged = settled.contains { k in
      companions.agreement.differing(from: Int(choice[k]), in: energy.cells.cells[k]).contains(Int(plate[k]))
    }
    guard isChanged else { return [:] }
    return Dictionary(uniqueKeysWithValues: settled.map { ($0, plate[$0]) })
  }

  /// A plate in which a place's free cells are free and somebody stands in the rest, and the contested cells, by their position,
  /// that this settles.
  private func filling(
    _ place: Place, _ anew: [UInt8], free: [Int], in choice: [UInt8], _ local: Energy, threads: Int
  ) async throws -> (plate: [UInt8], settled: Set<Int>) {
    var plate = choice
    for k in free { plate[k] = anew[k] }
    let (people, remnants) = left(of: place, without: free)
    plate = try chooseCandidates(local, among: remnants, from: plate, threads: threads)
    var settled = Set(free + remnants)
    var whole: Set<Int> = []
    for somebody in people {
      let best = try await best(
        of: somebody, anew, in: plate, keeping: whole, place.open, local, threads: threads)
      guard let best else { continue }
      plate = best.plate
      whole.formUnion(best.cells)
      settled = whole.union(place.open)
    }
    return (plate, settled)
  }

  /// Whether a plate shows no more people than another, in all that frames show at its pixels, and costs less with its seams.
  private func isClearer(_ plate: [UInt8], than other: [UInt8], _ local: Energy) -> Bool {
    let (own, others) = (local(plate), local(other))
    return own.pixels <= others.pixels && own.shown < others.shown
  }

  /// Somebody in the plate.
  private struct Placed {
    /// Positions of the contested cells that follow his frame.
    var cells: [Int]
    var plate: [UInt8]
    /// What all seams cost then.
    var seams: Int
  }

  /// Who wins with less or more of the rim, and what is then chosen around him: whichever leaves the least of seams. Where he
  /// ends is asked twice, of the plate so far and of the choice without outlines, which may know better what he hides.
  private func best(
    of somebody: [Int], _ anew: [UInt8], in plate: [UInt8], keeping whole: Set<Int>, _ open: [Int], _ local: Energy,
    threads: Int
  ) async throws -> Placed? {
    var bare = plate
    for cell in somebody {
      if let k = energy.cells.position(of: cell), !whole.contains(k) { bare[k] = anew[k] }
    }
    var best: Placed?
    for core in cores(of: somebody) {
      let window = PlaceCut.Window(around: core, energy)
      guard let cut = try await bestCut(of: core, by: placeCut(in: plate, window), threads: threads) else { continue }
      var placed = [try self.placed(cut, in: plate, keeping: whole, open, local, threads: threads)]
      if let closer = try placeCut(in: bare, window).cut(core, to: Int(cut.frame)) {
        placed.append(try self.placed(closer, in: bare, keeping: whole, open, local, threads: threads))
      }
      for next in placed where next.seams < best?.seams ?? .max { best = next }
    }
    return best
  }

  private func placed(
    _ cut: PlaceCut.Cut, in plate: [UInt8], keeping whole: Set<Int>, _ open: [Int], _ local: Energy,
    threads: Int
  ) throws -> Placed {
    var next = plate
    for k in cut.cells { next[k] = cut.frame }
    let taken = whole.union(cut.cells)
    next = try chooseCandidates(local, among: open.filter { !taken.contains($0) }, from: next, threads: threads)
    return Placed(cells: cut.cells, plate: next, seams: energy.seams(of: next))
  }

  /// What is left of a place without what is free: connected cells, which are people; and what is too small for anybody.
  private func left(of place: Place, without free: [Int]) -> (people: [[Int]], remnants: [Int]) {
    let regions = mask(of: Set(place.cells).subtracting(free)).regions(of: true).sorted { $0.count > $1.count }
    let people = Array(regions.prefix { $0.count >= Self.least })
    let remnants = Set(regions.dropFirst(people.count).joined().compactMap(energy.cells.position(of:)))
    return (people, place.open.filter(remnants.contains))
  }

  /// Positions of connected cells without less or more of their rim, which is nobody's for certain; of all where nothing is
  /// left.
  private func cores(of cells: [Int]) -> [[Int]] {
    let whole = RegionMask(size: energy.cells.grid.size, pixels: cells)
    let cores = Self.rims.map { rim in
      let inner = whole.shrunk(by: rim)
      return cells.filter { inner.isSet[$0] }
    }
    let large = cores.filter { $0.count >= Self.least }
    return (large.isEmpty ? [cells] : large).map { $0.compactMap(energy.cells.position(of:)) }
  }

  /// The frame that fits best into the plate at a place; nil where the seams of all would show.
  private func bestCut(of place: [Int], by cutting: PlaceCut, threads: Int) async throws -> PlaceCut.Cut? {
    let cuts = try await mapIndices(count: candidates.frameCount, threads: threads) { frame in
      try cutting.cut(place, to: frame)
    }
    guard let best = worthwhile(cuts.compactMap { $0 }, in: cutting.choice).first,
      Double(best.cells.count { cutting.choice[$0] != best.frame }) >= Self.falseAlarm * Double(place.count)
    else { return nil }
    return best
  }

  /// Those of some cuts into a plate that are worth what they fill, the best first.
  func worthwhile(_ cuts: [PlaceCut.Cut], in choice: [UInt8]) -> [PlaceCut.Cut] {
    // What a cut fills takes as long to count as to cut: most are not worth it whatever they fill.
    cuts.filter { Self.isWorthIt($0, filling: Filled()) }
      .map { (cut: $0, filled: filled(by: $0, in: choice)) }
      .filter { Self.isWorthIt($0.cut, filling: $0.filled) }
      .sorted { Self.cost(of: $0.cut, filling: $0.filled) < Self.cost(of: $1.cut, filling: $1.filled) }
      .map(\.cut)
  }

  /// What a cut costs beside others that fit, in pixels of a seam.
  static func cost(of cut: PlaceCut.Cut, filling filled: Filled) -> Double {
    cut.splitting.all + cutOff * max(cut.splitting.seam - shown, 0) + givenAway * filled.shares
  }

  /// Whether hardly anything shows of a cut's seam, and it saves enough: by what shows, by whom seams split, or nearly so by both.
  static func isWorthIt(_ cut: PlaceCut.Cut, filling filled: Filled) -> Bool {
    let share = savesMuch(cut.visible, filling: filled) ? shownWhereMuchIsSaved : shownShare
    func saves(_ costs: PlaceCut.Costs, _ least: Double) -> Bool {
      costs.seam <= shown + share * costs.before && costs.all + least < costs.before
    }
    let least = filled.leastSaved
    return saves(cut.visible, least) || saves(cut.splitting, caution * least)
      || saves(cut.visible, together.visible * least) && saves(cut.splitting, together.splitting * caution * least)
  }

  /// Whether the seams that vanish are worth much more than what is free and gets lost.
  private static func savesMuch(_ costs: PlaceCut.Costs, filling filled: Filled) -> Bool {
    costs.before - costs.all >= much * givenAway * filled.shares
  }

  /// What is free in the plate and filled by somebody: what more than one frame shows without anybody who is seen there, or one
  /// alone, where a detector sees somebody in the others.
  struct Filled {
    /// Cells, each counted as the share of frames that show it free.
    var shares = 0.0
    /// What must be saved for them, in pixels of a seam.
    var leastSaved = 0.0
  }

  func filled(by cut: PlaceCut.Cut, in choice: [UInt8]) -> Filled {
    cut.cells.reduce(into: Filled()) { filled, k in
      let (cell, shown) = (energy.cells.cells[k], Int(choice[k]))
      let same = companions.frames(with: shown, in: cell).nonzeroBitCount
      guard same > 1 || companions.showNobody(with: shown, in: cell),
        !companions.showSomebody(with: shown, in: cell),
        companions.agreement.differing(from: shown, in: cell).contains(Int(cut.frame))
      else { return }
      filled.shares += Double(same) / Double(candidates.frameCount)
      filled.leastSaved += 2 * same >= candidates.frameCount ? Self.leastSaved.half : Self.leastSaved.few
    }
  }

  func placeCut(in choice: [UInt8], _ window: PlaceCut.Window) -> PlaceCut {
    PlaceCut(
      candidates: candidates, agreement: companions.agreement, energy: energy, choice: choice, change: Self.change,
      window: window)
  }

  private func mask(of positions: some Sequence<Int>) -> RegionMask {
    RegionMask(size: energy.cells.grid.size, pixels: positions.map { energy.cells.cells[$0] })
  }
}
