public import Frames
import Registration

/// Makes a clean plate out of frames that come in one after another, as from a camera.
///
/// ```swift
/// let result = try await makePlate(from: camera.frames, options: Options(previews: true)) { event in
///   if case .preview(let picture) = event { show(picture) }
/// }
/// ```
/// While they come in, each is looked at, placed where the reference is known beforehand, and, with
/// `Options.previews`, added to the plate so far. The plate is the same as that of the same frames as `Input.frame`.
/// - Parameters:
///   - frames: at least two of one scene, in the order in which they were taken. All are held until the plate is made.
///   - options: how; `memory` plays no part, as the frames bring their own.
///   - onEvent: is told from any task what happens; it should return at once.
/// - Throws: as `makePlate(from:options:onEvent:)` for inputs, and what `frames` throws.
public func makePlate<Incoming: AsyncSequence>(
  from frames: Incoming, options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
) async throws -> PlateResult where Incoming.Element == Frame {
  let monitor = RunMonitor(onEvent)
  let burst = try await monitor.measure(.decode) { try await readBurst(arriving: frames, options, monitor) }
  return try await makePlate(of: burst, options, sharing: RunResources(options), monitor)
}

/// Describes frames as they come in, and places them as far as that can be done beforehand.
private func readBurst<Incoming: AsyncSequence>(
  arriving frames: Incoming, _ options: Options, _ monitor: RunMonitor
) async throws -> Burst where Incoming.Element == Frame {
  let registrar = Registrar(options)
  var places: EarlyPlaces?
  var entries: [Burst.Entry] = []
  for try await frame in frames {
    try Task.checkCancellation()
    let index = BurstIndex(rawValue: entries.count)
    let outcome: FrameOutcome<Burst.Content>
    switch frame.checked {
    case .accepted(let frame):
      monitor.tell(.decoded(index: index.rawValue, name: frame.name, size: frame.size))
      places = places ?? EarlyPlaces(arriving: frame, index, options, registrar)
      let description = try registrar.describe(frame, keepingPyramid: true)
      let early = try await places?.place(DescribedFrame(index: index, frame: frame, description: description), monitor)
      outcome = .accepted(Burst.Content(frame: frame, digest: nil, description: description, early: early))
    case .rejected(let reason, _):
      monitor.tell(.rejected(index: index.rawValue, name: frame.name, reason: reason))
      outcome = .rejected(reason)
    }
    entries.append(Burst.Entry(name: frame.name, outcome: outcome))
    monitor.tell(.progress(.decode, done: entries.count, total: 0))
  }
  // A stream ends early for a task that was called off.
  try Task.checkCancellation()
  guard entries.count >= 2 else { throw PlateError.tooFewInputs(entries.count) }
  return try await Burst(
    entries: entries, base: places?.base, order: entries.indices.map(BurstIndex.init(rawValue:)), budget: nil
  ).withoutUnusedBits(registrar, threads: options.threads)
}
