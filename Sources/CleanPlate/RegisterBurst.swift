import Frames
import Registration
import Stacking

/// How the frames of a burst lie on its reference.
struct RegisteredBurst: Sendable {
  let referenceIndex: Int
  let reference: Frame
  /// One per entry of the burst; a failure stands for a frame that was never registered.
  private(set) var alignments: [Result<Alignment, Rejection>]
  /// The accepted frames with samples of the reference's kind, by index.
  let frames: [Int: Frame]

  mutating func leaveOut(_ index: Int, _ reason: Rejection) {
    alignments[index] = alignments[index].map { alignment in
      var alignment = alignment
      alignment.verdict = .rejected(reason)
      return alignment
    }
  }

  /// The accepted frames, in the order in which they were taken.
  /// - Throws: `PlateError.tooFewGoodFrames` when there are fewer than two.
  func layers(of burst: Burst) throws(PlateError) -> [Layer] {
    var layers: [Layer] = []
    var leftOut: [PlateError.LeftOut] = []
    for index in burst.order {
      let (entry, alignment) = (burst.entries[index], alignments[index])
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
  let (target, matches) =
    if let report = options.alignment {
      try await placed(burst, by: report, options)
    } else {
      try await placed(burst, usable, options, clock)
    }
  clock.tell(.referenceChosen(index: target.index, name: target.reference.name))
  let alignments = try leavingPoorOnesOut(
    matches.map { $0.map(\.alignment) }, burst, reference: target.index, options)
  for (index, alignment) in alignments.enumerated() where burst.entries[index].frame != nil {
    let name = burst.entries[index].name
    switch alignment.flatMap({ $0.outcome }) {
    case .success(let alignment): clock.tell(.registered(alignment, name: name))
    case .failure(let reason): clock.tell(.rejected(index: index, name: name, reason: reason))
    }
  }
  let frames = matches.enumerated().compactMap { index, match in (try? match.get().frame).map { (index, $0) } }
  return RegisteredBurst(
    referenceIndex: target.index, reference: target.reference, alignments: alignments,
    frames: Dictionary(uniqueKeysWithValues: frames))
}

/// Places frames where an earlier report says.
private func placed(
  _ burst: Burst, by report: Report, _ options: Options
) async throws -> (Target, [Target.Match]) {
  let alignments = try report.alignments(for: burst)
  let target = try Target(burst, report.reference, options)
  let matches = try await mapIndices(count: burst.entries.count, threads: options.threads) { index in
    switch (alignments[index], burst.entries[index].frame) {
    case (.success(let alignment), let frame?): try target.match(frame, alignment)
    case (.failure(let reason), _): Target.Match.failure(reason)
    case (.success, nil): Target.Match.failure(burst.entries[index].rejection)
    }
  }
  return (target, matches)
}

/// Chooses the reference and registers every other frame to it.
private func placed(
  _ burst: Burst, _ usable: [Int], _ options: Options, _ clock: StageClock
) async throws -> (target: Target, matches: [Target.Match]) {
  let contents = try usable.map { try burst.entries[$0].content.get() }
  let registrar = Registrar(model: options.align, mesh: options.mesh)
  let (choice, poses) = try await chooseReference(burst, usable, contents, registrar, options)
  let outcome = try await placed(burst, usable, on: choice, poses, options, clock)
  // Of two frames that do not fit one way, the other may show enough of the one.
  guard options.reference == .auto, usable.count == 2, !outcome.matches.hasCompany else { return outcome }
  let other = try await placed(burst, usable, on: 1 - choice, nil, options, clock)
  return other.matches.hasCompany ? other : outcome
}

/// Registers every other frame to a reference.
/// - Parameter choice: the reference's place among the usable frames.
private func placed(
  _ burst: Burst, _ usable: [Int], on choice: Int, _ poses: Poses?, _ options: Options, _ clock: StageClock
) async throws -> (target: Target, matches: [Target.Match]) {
  let contents = try usable.map { try burst.entries[$0].content.get() }
  let registrar = Registrar(model: options.align, mesh: options.mesh)
  let target = try Target(burst, usable[choice], options)
  // What a preview was drawn in says nothing of the reference that is chosen in the end.
  let early = options.reference == .auto ? nil : burst.early
  let placed = early == nil ? [] : contents.indices.compactMap { i in contents[i].placed.map { (i, $0.numbered(i)) } }
  let done = Counter()
  let registered = try await registrar.register(
    contents.map(\.description), planes: contents[choice].frame.planes.count, reference: choice,
    prepared: early, poses: poses, placed: Dictionary(uniqueKeysWithValues: placed), threads: options.threads
  ) { settled in
    var alignment = settled
    alignment.index = usable[settled.index]
    let match = try target.match(contents[settled.index].frame, alignment)
    clock.tell(.progress(.register, done: done.increment(), total: contents.count))
    return match
  }
  var matches = burst.entries.map { Target.Match.failure($0.rejection) }
  for (index, match) in zip(usable, registered) { matches[index] = match }
  return (target, matches)
}

/// The rules of exposure and sharpness, applied to the frames that could be read.
private func leavingPoorOnesOut(
  _ alignments: [Result<Alignment, Rejection>], _ burst: Burst, reference: Int, _ options: Options
) throws -> [Result<Alignment, Rejection>] {
  let measured = burst.entries.indices.compactMap {
    index -> (index: Int, alignment: Alignment, content: Burst.Content)? in
    guard case .success(let content) = burst.entries[index].content, case .success(let alignment) = alignments[index]
    else { return nil }
    return (index, alignment, content)
  }
  guard let position = measured.firstIndex(where: { $0.index == reference }) else { return alignments }
  let frames = measured.map(\.content.description)
  let exposed = try ExposureRule().apply(to: measured.map(\.alignment), frames: frames, reference: position)
  var sharpness = SharpnessRule()
  // A video's frames are small, and speak only where the photo does not.
  if options.motion { sharpness.leastDetail = 0 }
  let settled = try sharpness.apply(to: exposed, frames: frames, reference: position)
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
    // A frame that could not be read moves the origin.
    let isOrigin = burst.origin == usable[ReferenceChoice.origin(count: usable.count)]
    let known = isOrigin ? contents.indices.compactMap { i in contents[i].pose.map { (i, $0) } } : []
    return try await ReferenceChoice(registrar: registrar).choose(
      among: contents.map(\.description), known: Dictionary(uniqueKeysWithValues: known), threads: options.threads)
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

extension [Target.Match] {
  /// Whether any frame beside the reference was accepted.
  fileprivate var hasCompany: Bool { count { (try? $0.get().alignment.isAccepted) ?? false } > 1 }
}

extension Alignment {
  /// The alignment when it was accepted, else why not.
  var outcome: Result<Alignment, Rejection> {
    if case .rejected(let reason) = verdict { .failure(reason) } else { .success(self) }
  }
}
