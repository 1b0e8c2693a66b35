import CShim
public import Frames
import ShimSupport

/// Decides which frames may speak at which place of the reference.
///
/// Frames are compared as small registered pictures. Where nearly all agree, everybody may speak, and the median
/// settles it. Elsewhere the frames, and their median, are candidates; which of them to follow is decided for whole
/// regions at once, by three things: how many frames back a candidate, counted nearly once per stretch of time;
/// whether it has borders that rivals lack where the two begin to differ (somebody who stands in front of a wall has
/// an outline that the wall does not continue); and seams, which should run where the candidates agree (Agarwala et
/// al., "Interactive Digital Photomontage", SIGGRAPH 2004). Nothing is invented: every cell follows frames.
public struct Selector: Sendable {
  /// Pixels at most of the pictures that are compared.
  static let comparedArea = 750_000.0

  /// Who sees people, vehicles and animals; nil when nobody does.
  public let detector: Detector?

  public init(detector: Detector? = nil) { self.detector = detector }

  /// - Parameters:
  ///   - layers: the accepted frames, in the order in which they were taken; all of one encoding and depth.
  ///   - size: the reference's, in pixels.
  ///   - reference: the reference's position among the layers.
  ///   - protection: what must come from the reference; nil for nothing.
  ///   - threads: tasks that work at once; the plan does not depend on it.
  ///   - progress: is told from any task which share of the work is done, 0...1.
  /// - Throws: `ProtectionError`, `ShimError` when memory runs out, `AllocationError`, `CancellationError`.
  public func plan(
    _ layers: [Layer], reference: Int, size: Size, protection: Protection? = nil, threads: Int,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> SelectionPlan {
    let witnesses = Self.witnesses(among: layers.count, including: reference)
    let leader = witnesses.firstIndex(of: reference) ?? 0
    let compared = witnesses.map { layers[$0] }
    let pictures = ComparedPictures(layers: compared, size: size, area: Self.comparedArea)
    let handle = try await pictures.selection(leader: leader, threads: threads)
    progress(0.15)
    try await handle.run(Self.comparison, threads: threads)
    progress(0.25)
    if let protection {
      try handle.keep(frame: leader, cells: protection.cells(in: handle, frame: leader, pictures, detector))
    }
    if let detector {
      try await handle.lookForOccupants(with: detector, threads: threads) { progress(0.25 + 0.6 * $0) }
    }
    try await handle.run(Self.decision, threads: threads)
    progress(0.95)
    let noise = try await measureNoise(compared, size: size, threads: threads)
    progress(1)
    return SelectionPlan(
      cs_selection_result(handle.pointer), cell: pictures.cell, witnesses: witnesses, reference: reference, noise: noise
    )
  }

  /// The noise of full-size samples, one per plane, as a plan would hold it.
  /// - Parameters: as for `plan`.
  /// - Throws: `CancellationError`.
  public static func noise(
    of layers: [Layer], reference: Int, size: Size, threads: Int
  ) async throws -> [NoiseLevel] {
    let compared = witnesses(among: layers.count, including: reference).map { layers[$0] }
    return try await measureNoise(compared, size: size, threads: threads)
  }

  /// The frames that are compared with each other: all, or evenly spread ones of many.
  static func witnesses(among count: Int, including needed: Int) -> [Int] {
    let most = Int(CS_SELECTION_FRAMES)
    guard count > most else { return Array(0..<count) }
    var chosen = (0..<most).map { $0 * (count - 1) / (most - 1) }
    if !chosen.contains(needed) {
      let nearest = chosen.indices.min { abs(chosen[$0] - needed) < abs(chosen[$1] - needed) }
      if let nearest { chosen[nearest] = needed }
    }
    return chosen
  }

  /// The steps that say where there is something to decide, and into how large parts each is divided.
  private static let comparison: [SelectionHandle.Step] = [
    (CS_SELECTION_MEDIANS, 32), (CS_SELECTION_GRADIENTS, 64), (CS_SELECTION_DEVIATIONS, 64), (CS_SELECTION_NOISE, 1),
    (CS_SELECTION_RIVALS, 8),
  ]

  /// The steps that decide.
  private static let decision: [SelectionHandle.Step] = [
    (CS_SELECTION_CONTESTED, 1), (CS_SELECTION_COMPARISONS, 128), (CS_SELECTION_BORDERS, 256),
    (CS_SELECTION_CANDIDATES, 256), (CS_SELECTION_SEAMS, 256), (CS_SELECTION_LABELS, 1), (CS_SELECTION_PLAN, 32),
  ]
}

extension SelectionPlan {
  /// The plan that the C++ side made, its frames renamed to positions among all layers.
  fileprivate init(_ result: cs_selection_plan, cell: Int, witnesses: [Int], reference: Int, noise: [NoiseLevel]) {
    let count = Int(result.columns) * Int(result.rows)
    struct Key: Hashable {
      var speakers: UInt32
      var isLed: Bool
    }
    var voices = [Voices.everybody]
    var known = [Key(speakers: UInt32(CS_SELECTION_EVERYBODY), isLed: false): UInt16(0)]
    let choice = (0..<count).map { index in
      let key = Key(speakers: result.speakers[index], isLed: result.led[index] != 0)
      if let position = known[key] { return position }
      // So many distinct sets mean that nothing is settled; the median is as good as any.
      guard let position = UInt16(exactly: voices.count) else { return 0 }
      let everybody = key.speakers == UInt32(CS_SELECTION_EVERYBODY)
      let speakers = witnesses.indices.filter { key.speakers >> UInt32($0) & 1 == 1 }.map { witnesses[$0] }
      voices.append(Voices(speakers: everybody ? nil : speakers, leader: key.isLed ? reference : nil))
      known[key] = position
      return position
    }
    self.init(
      cell: cell, columns: Int(result.columns), rows: Int(result.rows), voices: voices, choice: choice,
      support: Array(UnsafeBufferPointer(start: result.support, count: count)),
      unresolved: UnsafeBufferPointer(start: result.unresolved, count: count).map { $0 != 0 },
      compared: witnesses.count, noise: noise)
  }
}
