package import Frames
package import ShimSupport

extension Registrar {
  /// Registers every frame of a burst directly to its reference, and has the frames agree with each other.
  ///
  /// Where a frame's motion is in doubt, because something large moves or windows repeat, frames that are not in doubt
  /// are asked: its motion to them, followed by theirs to the reference, must be its motion to the reference.
  /// - Parameters:
  ///   - frames: the burst; an alignment's index is the frame's place here.
  ///   - planes: how many planes the frames have.
  ///   - reference: the reference's place.
  ///   - prepared: the reference, where it has been prepared already.
  ///   - poses: where the frames lie, where that has been found out already.
  ///   - placed: frames that have been placed on the prepared reference already, by their place in the burst.
  ///   - threads: tasks that may run at once; the result does not depend on it.
  ///   - settled: called once for every frame as soon as its alignment is final, from any thread, in any order; the
  ///     alignment has no photometric match and sharpness yet.
  /// - Returns: what `settled` made of each frame's alignment.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`, and what `settled` throws.
  package func register<Settled: Sendable>(
    _ frames: [FrameDescription], planes: Int, reference: Int, prepared: Reference? = nil, poses: Poses? = nil,
    placed: [Int: PlacedFrame] = [:], threads: Int, settled: @Sendable @escaping (Alignment) throws -> Settled
  ) async throws -> [Settled] {
    let prepared = try prepared ?? self.reference(frames[reference], threads: threads)
    if model == .none {
      return try await mapIndices(count: frames.count, threads: threads) { i in
        try settled(register(frames[i], index: i, planes: planes, to: prepared))
      }
    }
    let first = try await mapIndices(count: frames.count, threads: threads) { i in
      if i == reference { return PlacedFrame(reference: i, planes: planes) }
      return try placed[i]
        ?? place(frames[i], index: i, planes: planes, on: prepared, among: poses?.motions(of: i, on: reference))
    } then: { i, placed in
      (placed: placed, settled: placed.isDoubtful ? nil : try settled(placed.alignment))
    }
    let doubtful = first.indices.filter { first[$0].settled == nil }
    let asked = try await mapIndices(count: doubtful.count, threads: threads) { k in
      try settled(settle(doubtful[k], first.map(\.placed), frames, reference: prepared))
    }
    let answers = Dictionary(uniqueKeysWithValues: zip(doubtful, asked))
    return first.indices.compactMap { first[$0].settled ?? answers[$0] }
  }

  /// The same without anything that follows: one alignment per frame.
  package func register(
    _ frames: [FrameDescription], planes: Int, reference: Int, prepared: Reference? = nil, poses: Poses? = nil,
    placed: [Int: PlacedFrame] = [:], threads: Int
  ) async throws -> [Alignment] {
    try await register(
      frames, planes: planes, reference: reference, prepared: prepared, poses: poses, placed: placed, threads: threads,
      settled: \.self)
  }

  /// Places a frame on the reference, by what the two show alone: the first step of registering a burst, which can be
  /// taken as soon as both are there.
  /// - Throws: `ShimError` when memory runs out.
  package func place(_ frame: FrameDescription, index: Int, planes: Int, on reference: Reference) throws(ShimError)
    -> PlacedFrame
  {
    try place(frame, index: index, planes: planes, on: reference, among: nil)
  }

  private func place(
    _ frame: FrameDescription, index: Int, planes: Int, on reference: Reference,
    among known: Result<[Candidate], Rejection>?
  ) throws(ShimError) -> PlacedFrame {
    let outcome = try search(frame, reference).best(among: known)
    return PlacedFrame(
      alignment: alignment(outcome, index: index, planes: planes), candidates: outcome.candidates,
      isDoubtful: outcome.isDoubtful)
  }

  /// Frames that are asked about one in doubt.
  private static let witnesses = 3
  /// Two motions are the same when they put the corners this close, as a share of the width.
  private static let agreement = 0.01

  private func settle(
    _ index: Int, _ placed: [PlacedFrame], _ frames: [FrameDescription], reference: Reference
  ) throws(ShimError) -> Alignment {
    let frame = frames[index]
    let current = placed[index].alignment
    // The reference itself has been asked already. Frames in doubt themselves are better than nobody.
    let others = placed.indices
      .filter { $0 != index && placed[$0].alignment.isAccepted && !placed[$0].isReference }
      .sorted { (abs($0 - index), $0) < (abs($1 - index), $1) }
    let trusted = others.filter { !placed[$0].isDoubtful }
    let witnesses = (trusted.isEmpty ? others : trusted).prefix(Self.witnesses)
    guard !witnesses.isEmpty else { return current }
    var testimonies: [[Homography]] = []
    for witness in witnesses {
      let toWitness = candidates(of: frame, on: frames[witness])
      guard case .success(let candidates) = try toWitness.candidates() else { continue }
      testimonies.append(
        candidates.prefix(3).compactMap { placed[witness].alignment.homography * toWitness.fullSize($0.map) })
    }
    let width = Double(reference.description.size.width)
    func votes(_ map: Homography) -> Int {
      testimonies.count { $0.contains { $0.cornerDistance(to: map, size: frame.size) < Self.agreement * width } }
    }
    let known = current.isAccepted ? votes(current.homography) : -1
    // What witnesses say first is tried, too: they may see more of the frame than the reference does.
    let rivals = (placed[index].candidates.dropFirst() + testimonies.compactMap(\.first))
      .filter { limits.rejection(of: $0, frame: frame.size, reference: reference.description.size) == nil }
      .map { (map: $0, votes: votes($0)) }
      .filter { $0.votes > max(known, 0) }
      .sorted { $0.votes > $1.votes }
    for rival in rivals.prefix(2) {
      let result = try search(frame, reference).refine(
        candidates(of: frame, on: reference.description).proxy(rival.map))
      guard case .success = result else { continue }
      let outcome = MotionSearch.Outcome(result: result, candidates: [], isDoubtful: false)
      return alignment(outcome, index: index, planes: current.photometric.channels.count)
    }
    if current.isAccepted, known == 0, testimonies.count >= 2, !rivals.isEmpty {
      var refused = current
      let distance = rivals[0].map.cornerDistance(to: current.homography, size: frame.size)
      refused.verdict = .rejected(.inconsistent(pixels: distance))
      return refused
    }
    return current
  }
}

/// What is known of a frame after its own registration, before other frames are asked.
package struct PlacedFrame: Sendable {
  /// Without photometric match and sharpness.
  package let alignment: Alignment
  /// Motions that were considered, full size, the chosen one first.
  let candidates: [Homography]
  let isDoubtful: Bool
  let isReference: Bool

  /// The same for another place in the burst, as when frames before it could not be read.
  package func numbered(_ index: Int) -> PlacedFrame {
    var alignment = alignment
    alignment.index = index
    return PlacedFrame(
      alignment: alignment, candidates: candidates, isDoubtful: isDoubtful, isReference: isReference)
  }

  init(alignment: Alignment, candidates: [Homography], isDoubtful: Bool, isReference: Bool = false) {
    self.alignment = alignment
    self.candidates = candidates
    self.isDoubtful = isDoubtful
    self.isReference = isReference
  }

  init(reference index: Int, planes: Int) {
    self.init(
      alignment: .reference(index: index, planes: planes), candidates: [.identity], isDoubtful: false, isReference: true
    )
  }
}
