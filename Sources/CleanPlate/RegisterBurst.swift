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

  /// The accepted frames.
  /// - Throws: `PlateError.tooFewGoodFrames` when there are fewer than two.
  func layers(of burst: Burst) throws(PlateError) -> [Layer] {
    var layers: [Layer] = []
    var leftOut: [PlateError.LeftOut] = []
    for (index, (entry, alignment)) in zip(burst.entries, alignments).enumerated() {
      switch alignment.flatMap({ $0.outcome }) {
      case .success(let alignment):
        if let frame = entry.frame { layers.append(Layer(frame: frame, alignment: alignment)) }
      case .failure(let reason):
        leftOut.append(.init(index: index, name: entry.name, reason: reason))
      }
    }
    guard layers.count >= 2 else { throw .tooFewGoodFrames(accepted: layers.count, rejected: leftOut) }
    return layers
  }
}

/// Chooses the reference, registers every other frame to it, matches exposures and leaves blurred frames out; as
/// many frames at once as `options.threads` says.
/// - Throws: `PlateError` when there is no reference.
func register(_ burst: Burst, _ options: Options, _ clock: StageClock) async throws -> RegisteredBurst {
  let usable = burst.entries.indices.filter { burst.entries[$0].frame != nil }
  let contents = try usable.map { try burst.entries[$0].content.get() }
  guard !usable.isEmpty else { throw PlateError.tooFewGoodFrames(accepted: 0, rejected: burst.leftOut) }
  let registrar = Registrar(model: options.align, mesh: options.mesh)
  let choice = try await chooseReference(burst, usable, contents, registrar, options)
  let reference = contents[choice].frame
  clock.tell(.referenceChosen(index: usable[choice], name: reference.name))

  let done = Mutex(0)
  let registered = try await registrar.register(
    contents.map(\.description), planes: reference.planes.count, reference: choice, threads: options.threads
  ) { _ in
    let count = done.withLock { count in
      count += 1
      return count
    }
    clock.tell(.progress(.register, done: count, total: contents.count))
  }
  let comparable = try await mapIndices(count: contents.count, threads: options.threads) { position in
    matched(registered[position], contents[position].frame, to: reference, isReference: position == choice)
  }
  let settled = SharpnessRule().apply(to: comparable, laplacians: contents.map(\.laplacian), reference: choice)

  var alignments: [Result<Alignment, Rejection>] = burst.entries.map { entry in
    if case .failure(let reason) = entry.content { .failure(reason) } else { .failure(.differentEncoding) }
  }
  for (position, var alignment) in settled.enumerated() {
    let index = usable[position]
    alignment.index = index
    alignments[index] = .success(alignment)
    switch alignment.outcome {
    case .success(let alignment): clock.tell(.registered(alignment, name: burst.entries[index].name))
    case .failure(let reason):
      clock.tell(.rejected(index: index, name: burst.entries[index].name, reason: reason))
    }
  }
  return RegisteredBurst(referenceIndex: usable[choice], reference: reference, alignments: alignments)
}

/// The alignment with its photometric match, or the verdict that the frame's samples are of another kind.
private func matched(_ alignment: Alignment, _ frame: Frame, to reference: Frame, isReference: Bool) -> Alignment {
  var result = alignment
  guard alignment.isAccepted, !isReference else { return result }
  guard frame.encoding == reference.encoding, frame.bits == reference.bits else {
    result.verdict = .rejected(.differentEncoding)
    return result
  }
  result.photometric = PhotometricMatcher().match(frame, to: reference, alignment: alignment)
  return result
}

/// The reference's position among the usable frames.
/// - Throws: `PlateError` when the chosen one cannot be used.
private func chooseReference(
  _ burst: Burst, _ usable: [Int], _ contents: [Burst.Content], _ registrar: Registrar, _ options: Options
) async throws -> Int {
  let index: Int
  switch options.reference {
  case .auto:
    return try await ReferenceChoice(registrar: registrar).choose(
      among: contents.map(\.description), laplacians: contents.map(\.laplacian), threads: options.threads)
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
  if case .failure(let reason) = burst.entries[index].content {
    throw PlateError.referenceUnusable(name: burst.entries[index].name, reason: reason)
  }
  return usable.firstIndex(of: index) ?? 0
}

extension Alignment {
  /// The alignment when it was accepted, else why not.
  fileprivate var outcome: Result<Alignment, Rejection> {
    if case .rejected(let reason) = verdict { .failure(reason) } else { .success(self) }
  }
}
