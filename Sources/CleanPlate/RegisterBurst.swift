import Codecs
import Frames
import Registration
import Stacking
import Synchronization

/// How the frames of a burst lie on its reference.
struct RegisteredBurst: Sendable {
  let referenceIndex: Int
  let reference: Frame
  /// One per entry of the burst; a failure stands for a frame that was never registered.
  let alignments: [Result<Alignment, Rejection>]
  /// The accepted frames with samples of the reference's kind, by index.
  let frames: [Int: Frame]

  /// The accepted frames.
  /// - Throws: `PlateError.tooFewGoodFrames` when there are fewer than two.
  func layers(of burst: Burst) throws(PlateError) -> [Layer] {
    var layers: [Layer] = []
    var leftOut: [PlateError.LeftOut] = []
    for (index, (entry, alignment)) in zip(burst.entries, alignments).enumerated() {
      switch alignment.flatMap({ $0.outcome }) {
      case .success(let alignment):
        if let frame = frames[index] { layers.append(Layer(frame: frame, alignment: alignment)) }
      case .failure(let reason):
        leftOut.append(.init(index: index, name: entry.name, reason: reason))
      }
    }
    guard layers.count >= 2 else { throw .tooFewGoodFrames(accepted: layers.count, rejected: leftOut) }
    return layers
  }
}

/// Brings every frame onto a reference: where it lies, by registration or out of an earlier report; its samples in
/// the reference's kind and exposure; and whether it is sharp enough. As many frames at once as `options.threads`
/// says.
/// - Throws: `PlateError` when there is no reference, `ReportError` when an earlier report does not fit.
func register(_ burst: Burst, _ options: Options, _ clock: StageClock) async throws -> RegisteredBurst {
  let usable = burst.usable
  guard !usable.isEmpty else { throw PlateError.tooFewGoodFrames(accepted: 0, rejected: burst.leftOut) }
  let placed =
    if let report = options.alignment {
      Placement(reference: report.reference, alignments: try report.alignments(for: burst))
    } else {
      try await place(burst, usable, options, clock)
    }
  guard let decoded = burst.entries[placed.reference].frame else {
    throw PlateError.tooFewGoodFrames(accepted: 0, rejected: burst.leftOut)
  }
  let reference = try decoded.deepened(to: options.bits, burst.budget)
  clock.tell(.referenceChosen(index: placed.reference, name: reference.name))

  let comparable = try await mapIndices(count: burst.entries.count, threads: options.threads) { index in
    try matched(
      placed.alignments[index], burst.entries[index].frame, to: reference, isReference: index == placed.reference,
      burst.budget)
  }
  let alignments = leavingBlurredOut(comparable.map { $0.map(\.alignment) }, burst, reference: placed.reference)
  for (index, alignment) in alignments.enumerated() where burst.entries[index].frame != nil {
    let name = burst.entries[index].name
    switch alignment.flatMap({ $0.outcome }) {
    case .success(let alignment): clock.tell(.registered(alignment, name: name))
    case .failure(let reason): clock.tell(.rejected(index: index, name: name, reason: reason))
    }
  }
  let frames = comparable.enumerated().compactMap { index, match in (try? match.get().frame).map { (index, $0) } }
  return RegisteredBurst(
    referenceIndex: placed.reference, reference: reference, alignments: alignments,
    frames: Dictionary(uniqueKeysWithValues: frames))
}

/// Where the frames lie, before their samples are looked at.
private struct Placement: Sendable {
  /// The reference's index.
  var reference: Int
  var alignments: [Result<Alignment, Rejection>]
}

/// Chooses the reference and registers every other frame to it.
private func place(
  _ burst: Burst, _ usable: [Int], _ options: Options, _ clock: StageClock
) async throws -> Placement {
  let contents = try usable.map { try burst.entries[$0].content.get() }
  let registrar = Registrar(model: options.align, mesh: options.mesh)
  let (choice, poses) = try await chooseReference(burst, usable, contents, registrar, options)
  // What a preview was drawn in says nothing of the reference that is chosen in the end.
  let early = poses == nil ? burst.early : nil
  let placed = early == nil ? [] : contents.indices.compactMap { i in contents[i].placed.map { (i, $0) } }
  let done = Mutex(0)
  let registered = try await registrar.register(
    contents.map(\.description), planes: contents[choice].frame.planes.count, reference: choice,
    prepared: early, poses: poses, placed: Dictionary(uniqueKeysWithValues: placed), threads: options.threads
  ) { _ in
    let count = done.withLock { count in
      count += 1
      return count
    }
    clock.tell(.progress(.register, done: count, total: contents.count))
  }
  var alignments: [Result<Alignment, Rejection>] = burst.entries.map { .failure($0.rejection) }
  for (index, var alignment) in zip(usable, registered) {
    alignment.index = index
    alignments[index] = .success(alignment)
  }
  return Placement(reference: usable[choice], alignments: alignments)
}

/// An alignment with its photometric match and the frame with samples of the reference's kind, or the verdict that
/// they cannot be had.
/// - Throws: `AllocationError`.
private func matched(
  _ placed: Result<Alignment, Rejection>, _ frame: Frame?, to reference: Frame, isReference: Bool,
  _ budget: MemoryBudget?
) throws -> Result<(alignment: Alignment, frame: Frame), Rejection> {
  var alignment: Alignment
  switch placed {
  case .success(let known): alignment = known
  case .failure(let reason): return .failure(reason)
  }
  guard let frame else { return .failure(.differentEncoding) }
  if isReference { return .success((alignment, reference)) }
  guard alignment.isAccepted else { return .success((alignment, frame)) }
  // The grids stay the frame's own: the warp takes them as they are.
  let layout = PixelLayout(
    encoding: reference.encoding, bits: reference.bits, grids: frame.comparableGrids(to: reference))
  let comparable: Frame
  do {
    comparable = try convert(frame, toProfileOf: reference, budget: budget).converted(to: layout, budget: budget)
  } catch let error as CodecError {
    if case .allocation(_, let failure) = error { throw failure }
    return .failure(.unreadable(reason: error.words))
  }
  alignment.photometric = PhotometricMatcher().match(comparable, to: reference, alignment: alignment)
  for seen in [frame, comparable] { seen.discardResidentSamples() }
  return .success((alignment, comparable))
}

/// The sharpness rule, applied to the frames that could be read.
private func leavingBlurredOut(
  _ alignments: [Result<Alignment, Rejection>], _ burst: Burst, reference: Int
) -> [Result<Alignment, Rejection>] {
  let measured = burst.entries.indices.compactMap {
    index -> (index: Int, alignment: Alignment, content: Burst.Content)? in
    guard case .success(let content) = burst.entries[index].content, case .success(let alignment) = alignments[index]
    else { return nil }
    return (index, alignment, content)
  }
  guard let position = measured.firstIndex(where: { $0.index == reference }) else { return alignments }
  let settled = SharpnessRule().apply(
    to: measured.map(\.alignment), laplacians: measured.map(\.content.description.laplacian), reference: position)
  var result = alignments
  for (measured, alignment) in zip(measured, settled) { result[measured.index] = .success(alignment) }
  return result
}

/// The reference's position among the usable frames, and where the frames lie, as far as the choice told.
/// - Throws: `PlateError` when the chosen one cannot be used.
private func chooseReference(
  _ burst: Burst, _ usable: [Int], _ contents: [Burst.Content], _ registrar: Registrar, _ options: Options
) async throws -> (Int, Poses?) {
  let index: Int
  switch options.reference {
  case .auto:
    return try await ReferenceChoice(registrar: registrar).choose(
      among: contents.map(\.description), threads: options.threads)
  case .index(let chosen):
    guard burst.entries.indices.contains(chosen) else {
      throw PlateError.referenceOutOfRange(index: chosen, count: burst.entries.count)
    }
    index = chosen
  case .name(let name):
    guard let chosen = burst.entries.firstIndex(where: { $0.name == name }) else {
      throw PlateError.noSuchReference(name: name)
    }
    index = chosen
  }
  guard let position = usable.firstIndex(of: index) else {
    throw PlateError.referenceUnusable(name: burst.entries[index].name, reason: burst.entries[index].rejection)
  }
  return (position, nil)
}

extension Alignment {
  /// The alignment when it was accepted, else why not.
  fileprivate var outcome: Result<Alignment, Rejection> {
    if case .rejected(let reason) = verdict { .failure(reason) } else { .success(self) }
  }
}

extension Frame {
  /// The same picture with at least `bits` significant bits a sample.
  /// - Throws: `AllocationError`.
  fileprivate func deepened(to bits: Int?, _ budget: MemoryBudget?) throws(AllocationError) -> Frame {
    guard let bits, bits > self.bits else { return self }
    return try converted(to: PixelLayout(encoding: encoding, bits: bits, grids: grids), budget: budget)
  }

  /// Chroma grids for this frame's samples in the reference's encoding: its own, or full where it has no chroma.
  fileprivate func comparableGrids(to reference: Frame) -> [PlaneGrid] {
    if grids.count == reference.planes.count { return grids }
    return Array(repeating: .full, count: reference.planes.count)
  }
}
