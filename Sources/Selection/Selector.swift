package import Frames

/// Decides which frames may speak at which place of the reference.
///
/// Frames are compared as small registered pictures. Where nearly all agree, everybody may speak, and the median
/// settles it. Elsewhere the frames, and their median, are candidates; which of them to follow is decided for whole
/// regions at once, by three things: how many frames back a candidate, counted nearly once per stretch of time;
/// whether it has borders that rivals lack where the two begin to differ (somebody who stands in front of a wall has
/// an outline that the wall does not continue); and seams, which should run where the candidates agree (Agarwala et
/// al., "Interactive Digital Photomontage", SIGGRAPH 2004). Nothing is invented: every cell follows frames.
package struct Selector: Sendable {
  /// Who sees people, vehicles and animals; nil when nobody does.
  package let detector: Detector?

  package init(detector: Detector? = nil) { self.detector = detector }

  /// - Parameters:
  ///   - layers: the accepted frames, in the order in which they were taken; all of one encoding and depth.
  ///   - size: the reference's, in pixels.
  ///   - reference: the reference's position among the layers.
  ///   - protection: what must come from the reference; nil for nothing.
  ///   - threads: tasks that work at once; the plan does not depend on it.
  ///   - progress: is told from any task which share of the work is done, 0...1.
  /// - Throws: `ProtectionError`, `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  package func plan(
    _ layers: [Layer], reference: Int, size: Size, protection: Protection? = nil, threads: Int,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> SelectionPlan {
    let compared = ComparedFrames(among: layers.count, reference: reference)
    let frames = compared.positions.map { layers[$0] }
    let pictures = SmallPictures(layers: frames, size: size)

    let candidates = try await pictures.candidates(reference: compared.reference, threads: threads)
    progress(0.15)
    let noise = try await measureNoise(of: candidates, threads: threads)
    let departures = try await findDepartures(of: candidates, noise, threads: threads)
    progress(0.25)
    let kept = try protection?.cells(of: candidates, pictures, detector)
    let detections = try await candidates.detections(by: detector, departures, threads: threads) {
      progress(0.25 + 0.6 * $0)
    }

    let cells = ContestedCells(departures.verdicts, kept: kept, in: candidates.grid)
    let agreement = try await Agreement(of: candidates, noise, at: cells, threads: threads)
    let borders = try await Borders(of: candidates, noise, agreement, threads: threads)
    let evidence = try await CandidateCosts(
      of: candidates, agreement, borders, detections: detections, kept: kept, threads: threads)

    let seams = try await SeamCosts(of: candidates, noise, at: cells, threads: threads)
    let energy = Energy(cells: cells, candidates: candidates.count, evidence: evidence, seams: seams)

    func decide(_ choice: [UInt8]) async throws -> CellDecisions {
      let choices = try await CellChoices(
        candidates: candidates, noise: noise, departures: departures, agreement: agreement, energy: energy,
        choice: choice, detections: detections, kept: kept
      ).perCell(threads: threads)
      return CellDecisions(choices, Unconfirmed(choices, of: candidates, at: cells, kept: kept))
    }
    let choice = try chooseCandidates(energy)
    var decisions = try await decide(choice)
    let whole = try await WholePeople(candidates: candidates, agreement: agreement, energy: energy)
      .found(in: choice, unresolved: decisions.unresolved(in: candidates.grid), kept: kept, threads: threads)
    if !whole.isEmpty { decisions = try await decide(chooseCandidates(energy, keeping: whole)) }
    progress(0.95)
    let offsets = pictures.offsets(try await ColourFields(of: candidates, threads: threads))
    let sampleNoise = try await measureNoise(of: frames.levelled(by: offsets), size: size, threads: threads)
    progress(1)
    return SelectionPlan(
      decisions, candidates.grid, cell: pictures.cell, compared: compared, noise: sampleNoise,
      colourOffsets: compared.named(offsets))
  }

  /// The noise of full-size samples, one per plane, as a plan would hold it.
  /// - Parameters: as for `plan`.
  /// - Throws: `CancellationError`.
  package static func noise(
    of layers: [Layer], reference: Int, size: Size, threads: Int
  ) async throws -> [NoiseLevel] {
    let compared = ComparedFrames(among: layers.count, reference: reference)
    return try await measureNoise(of: compared.positions.map { layers[$0] }, size: size, threads: threads)
  }
}
