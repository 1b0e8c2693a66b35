package import Frames

/// The frames of a burst, compared: all that a choice needs and that no edit changes, so that many plans can be made of it.
package struct Contest: Sendable {
  let compared: ComparedFrames
  /// How many frames there are, compared or not.
  private let count: Int
  let pictures: SmallPictures
  let candidates: Candidates
  let noise: [ComparedNoise]
  let departures: Departures
  /// Frames that lack edges all over the picture.
  let soft: CandidateSet
  /// Who sees people where an edit points; nil when nobody does.
  let detector: Detector?
  let detections: Detections?
  /// What can be said for and against each candidate wherever the frames do not agree.
  private(set) var arguments: Arguments
  /// Of full-size samples, one per plane.
  let sampleNoise: [NoiseLevel]
  /// By compared frame.
  let enlargedErrors: [Int: Double]
  let fields: ColourFields
  /// What the candidates were levelled by.
  let levelling: ColourFields
  let offsets: [Int: [SmoothField]]
  /// What is chosen where no edit says otherwise.
  private(set) var settled: Settlement

  /// What was chosen.
  struct Settlement: Sendable {
    /// A candidate for each contested cell.
    var choice: [UInt8]
    /// The contested cells, by their position, that were decided together: people who stand whole there, and what is whole
    /// in another plate.
    var whole: [Int: UInt8]
    var decisions: CellDecisions

    /// The same for other contested cells.
    /// - Parameter otherwise: what cells follow that were not contested.
    func moved(to cells: ContestedCells, from before: ContestedCells, otherwise: UInt8) -> Settlement {
      Settlement(
        choice: cells.values(choice, of: before, otherwise: otherwise), whole: cells.keyed(whole, as: before),
        decisions: decisions)
    }
  }

  /// For and against each candidate, cell by contested cell.
  struct Arguments: Sendable {
    let companions: Companions
    let borders: Borders
    let energy: Energy
    var agreement: Agreement { companions.agreement }
    var cells: ContestedCells { energy.cells }
  }

  /// - Parameters:
  ///   - frames: the accepted frames, in the order in which they were taken; all of one encoding and depth.
  ///   - reference: the reference's position among the frames.
  ///   - named: further positions of frames that must be compared, however many there are.
  ///   - size: the reference's, in pixels.
  ///   - crop: what the plate shows of the reference; nil where it does not matter how its rim looks.
  ///   - detector: who sees people, vehicles and animals; nil when nobody does.
  ///   - threads: tasks that work at once; the result does not depend on it.
  ///   - progress: is told from any task which share of the work is done, 0...1.
  /// - Throws: `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  package init(
    _ frames: [RegisteredFrame], reference: RegisteredIndex, including named: [RegisteredIndex] = [], size: Size,
    crop: Region? = nil, detector: Detector? = nil, threads: Int,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws {
    count = frames.count
    compared = ComparedFrames(among: frames.count, reference: reference, including: named)
    let chosen = compared.positions.map { frames[$0] }
    pictures = SmallPictures(frames: chosen, size: size)
    self.detector = detector

    let registered = try await pictures.candidates(reference: compared.reference, threads: threads)
    (levelling, fields) = try await ColourFields.measured(in: registered, threads: threads)
    offsets = pictures.offsets(fields)
    let levelled = try await registered.levelled(by: levelling, threads: threads)
    candidates = try await pictures.repaired(levelled, threads: threads)
    progress(0.15)
    noise = try await measureNoise(of: candidates, threads: threads)
    departures = try await findDepartures(of: candidates, noise, threads: threads)
    progress(0.25)
    soft = try await candidates.softFrames(threads: threads)
    let agreement = try await Agreement(
      of: candidates, noise, at: ContestedCells(departures.verdicts, in: candidates.grid), threads: threads)
    progress(0.35)
    detections = try await candidates.detections(by: detector, agreement, departures, threads: threads) {
      progress(0.35 + 0.5 * $0)
    }
    let arguments = try await Arguments(
      candidates, noise, agreement, detections, Precipitation(of: candidates, noise, departures), soft: soft,
      threads: threads)
    progress(0.92)
    var plate = (arguments, try await arguments.settled(noise, departures, threads: threads))
    let patched = PatchedPlaces(candidates: candidates, noise: noise)
    plate = try await patched.whole(in: plate.1, by: plate.0, departures, soft: soft, threads: threads) ?? plate
    if let crop {
      let cutOff = CutOffPeople(candidates: candidates, noise: noise, within: pictures.inner(crop))
      plate = try await cutOff.whole(in: plate.1, by: plate.0, departures, soft: soft, threads: threads) ?? plate
    }
    (self.arguments, settled) = plate
    progress(0.95)
    let placed = chosen.levelled(byPlace: offsets)
    sampleNoise = try await measureNoise(of: placed, size: size, threads: threads)
    enlargedErrors = try await errorsOfEnlarged(
      placed, reference: compared.reference, size: size, threads: threads)
    progress(1)
  }

  /// Whether the frames that were compared are those that would be for these edits.
  package func suits(_ edits: [Edit]) -> Bool {
    let needed = ComparedFrames(
      among: count, reference: compared.positions[compared.reference], including: edits.compactMap(\.frame))
    return needed.positions == compared.positions
  }

  /// What is decided, for stacking.
  /// - Throws: `CancellationError`.
  func plan(_ decisions: CellDecisions, threads: Int) async throws -> SelectionPlan {
    let choices = (0..<decisions.choices.count).map { decisions.choices[$0] }
    var membrane: Membrane?
    if let seams = SeamMembrane(
      joining: choices, SeamSteps(candidates: candidates, levelling: levelling, fields: fields))
    {
      membrane = pictures.membrane(
        try await mapIndices(count: candidates.planeCount, threads: threads) { seams.values(plane: $0) })
    }
    return SelectionPlan(
      decisions, candidates.grid, cell: pictures.cell, compared: compared, noise: sampleNoise,
      enlargedErrors: compared.named(enlargedErrors), colourOffsets: compared.named(offsets), membrane: membrane)
  }
}

extension Contest.Arguments {
  /// - Parameter old: what is known of some of the cells.
  init(
    _ candidates: Candidates, _ noise: [ComparedNoise], _ agreement: Agreement, _ detections: Detections?,
    _ precipitation: Precipitation?, soft: CandidateSet, reusing old: Contest.Arguments? = nil, threads: Int
  ) async throws {
    borders = try await Borders(of: candidates, noise, agreement, reusing: old?.borders, threads: threads)
    var companions = Companions(
      candidates: candidates, agreement: agreement, detections: detections, precipitation: precipitation)
    // Cells that an edit adds were settled: nobody stands there, so that neither changes.
    if let old {
      (companions.occluders, companions.nearThings) = (old.companions.occluders, old.companions.nearThings)
      companions.doubt = old.companions.doubt
    } else {
      companions.occluders = try await Occluders(of: candidates, agreement, borders, soft: soft, threads: threads)
      companions.nearThings = try await NearThings(of: candidates, agreement, detections, threads: threads)
      companions.doubt = try await detections?.doubt(agreement, candidates, threads: threads) ?? 0
    }
    self.companions = companions
    let evidence = try await CandidateCosts(
      of: companions, borders, soft: soft, reusing: old?.energy.evidence, threads: threads)
    let seams = try await SeamCosts(
      of: candidates, noise, at: agreement.cells, reusing: old?.energy.seams, threads: threads)
    energy = Energy(cells: agreement.cells, candidates: candidates.count, evidence: evidence, seams: seams)
  }

  /// The same where further cells are contested, which the median settled.
  func widened(
    to further: RegionMask, _ noise: [ComparedNoise], soft: CandidateSet, threads: Int
  ) async throws -> Contest.Arguments {
    let agreement = try await Agreement(
      of: companions.candidates, noise, at: cells.joined(by: further), reusing: agreement, threads: threads)
    return try await Contest.Arguments(
      companions.candidates, noise, agreement, companions.detections, companions.precipitation, soft: soft,
      reusing: self, threads: threads)
  }

  /// What is chosen without edits.
  fileprivate func settled(
    _ noise: [ComparedNoise], _ departures: Departures, threads: Int
  ) async throws -> Contest.Settlement {
    try await ProposedPlates(
      companions: companions, energy: energy,
      decide: { choice, known in
        try await decisions(choice, noise, departures, reusing: known, threads: threads)
      }, threads: threads
    ).settled()
  }

  /// What a choice means for stacking.
  /// - Parameter settled: what is known for another choice.
  func decisions(
    _ choice: [UInt8], _ noise: [ComparedNoise], _ departures: Departures, reusing settled: CellDecisions? = nil,
    threads: Int
  ) async throws -> CellDecisions {
    let chosen = try await CellChoices(
      companions: companions, noise: noise, departures: departures, energy: energy,
      choice: choice, settled: settled?.choices
    ).perCell(threads: threads)
    let choices = try await DetailFrames(
      candidates: companions.candidates, noise: noise, detections: companions.detections,
      precipitation: companions.precipitation
    ).added(to: chosen, reusing: settled?.choices, threads: threads)
    return CellDecisions(
      choices, try await Unconfirmed(choices, of: companions, energy.demands, threads: threads))
  }
}
