import Frames
import Registration

extension Registrar {
  /// As the options say. Only where something is chosen is a detector loaded anyway, which can tell who moves: loading it takes
  /// a third of the time of all others.
  init(_ options: Options) {
    self.init(
      model: options.align, mesh: options.mesh, groupsMovers: options.combine == .clean && options.detector != .off,
      threads: options.threads)
  }
}

/// The steps by which the frames of a burst come onto its reference: `choose` the reference, `register` the others to it,
/// which is to place each, to settle those in doubt and to look again at those of which little agrees, and `match` exposures.
/// What the step `place` of the stage before has found out (`EarlyPlaces`) is not found out again.
struct RegistrationSteps: Sendable {
  private let burst: Burst
  private let options: Options
  private let monitor: RunMonitor
  private let registrar: Registrar
  /// The frames that could be read, in the order in which they were taken; positions among them count these.
  private let indices: [BurstIndex]
  private let frames: [Burst.Content]
  private let descriptions: [FrameDescription]
  private let movers: MoverSearch?

  /// - Parameter movers: finds who may move in a frame; nil where nobody can.
  init(_ burst: Burst, _ options: Options, movers: MoverSearch?, _ monitor: RunMonitor) {
    self.movers = movers
    (self.burst, self.options, self.monitor) = (burst, options, monitor)
    registrar = Registrar(options)
    indices = burst.usable
    frames = indices.compactMap { burst[$0].outcome.value }
    descriptions = frames.map(\.description)
  }

  /// All steps.
  /// - Throws: `PlateError` when there is no reference, `ShimError` or `AllocationError` when memory runs out.
  func run() async throws -> RegisteredBurst {
    let (reference, poses) = try await choose()
    let registered = try await register(to: reference, poses)
    // Of two frames that do not fit one way, the other may show enough of the one.
    guard options.reference == .auto, frames.count == 2, !registered.hasCompany else { return registered }
    let other = try await register(to: 1 - reference, nil)
    return other.hasCompany ? other : registered
  }

  /// The reference's position, and where the frames lie, as far as the choice told.
  /// - Throws: `PlateError` when the chosen one cannot be used.
  private func choose() async throws -> (Int, Poses?) {
    guard let index = try burst.index(of: options.reference) else {
      let choice = ReferenceChoice(registrar: registrar)
      return try await choice.choose(among: descriptions, known: coarseMotions, threads: options.threads)
    }
    if let reason = burst[index].outcome.rejection {
      throw PlateError.referenceUnusable(name: burst[index].name, reason: reason)
    }
    return (indices.firstIndex(of: index) ?? 0, nil)
  }

  /// How frames lie on the burst's origin, as far as that was found out while others were decoded.
  private var coarseMotions: [Int: CoarseMotions] {
    // A frame that could not be read moves the origin.
    guard case .origin(let origin) = burst.base, origin == indices[ReferenceChoice.origin(count: indices.count)] else {
      return [:]
    }
    var known: [Int: CoarseMotions] = [:]
    for (position, frame) in frames.enumerated() {
      if case .coarse(let motions) = frame.early { known[position] = motions }
    }
    return known
  }

  /// Places every other frame on the reference and settles those in doubt. Frames that are not are matched while the last
  /// of the others are being placed.
  private func register(to reference: Int, _ poses: Poses?) async throws -> RegisteredBurst {
    let target = try Target(burst, indices[reference], options)
    let prepared = try prepare(reference)
    let done = Counter()
    @Sendable func match(_ position: Int, _ outcome: FrameOutcome<Alignment>) throws -> FrameOutcome<RegisteredFrame> {
      let matched = try target.match(frames[position].frame, indices[position], outcome)
      monitor.tell(.progress(.register, done: done.increment(), total: frames.count))
      return matched
    }
    let first = try await mapIndices(count: frames.count, threads: options.threads) { position in
      try place(position, on: reference, prepared, poses)
    } then: { position, placed in
      (placed: placed, matched: placed.isDoubtful ? nil : try match(position, placed.outcome))
    }
    var placed = first.map(\.placed)
    let doubtful = placed.indices.filter { placed[$0].isDoubtful }
    let settled = try await mapIndices(count: doubtful.count, threads: options.threads) { [placed] k in
      let settled = try registrar.settle(doubtful[k], among: placed, of: descriptions, on: prepared)
      return (placed: settled, matched: try match(doubtful[k], settled.settled))
    }
    var outcomes = burst.entries.map { entry in
      entry.outcome.flatMap { _ in FrameOutcome<RegisteredFrame>.rejected(.differentEncoding) }
    }
    for (position, matched) in first.map(\.matched).enumerated() {
      if let matched { outcomes[indices[position].rawValue] = matched }
    }
    for (position, settled) in zip(doubtful, settled) {
      placed[position] = settled.placed
      outcomes[indices[position].rawValue] = settled.matched
    }
    let again = SecondLook(
      registrar: registrar, target: target, prepared: prepared, options: options, burst: burst, indices: indices,
      movers: movers)
    try await again.run(placed, &outcomes)
    return RegisteredBurst(target, outcomes)
  }

  private func prepare(_ reference: Int) throws -> PreparedReference {
    if case .reference(let prepared) = burst.base { return prepared }
    return try registrar.prepare(descriptions[reference], threads: options.threads)
  }

  private func place(
    _ position: Int, on reference: Int, _ prepared: PreparedReference, _ poses: Poses?
  ) throws -> PlacedFrame {
    let planes = frames[reference].frame.planes.count
    if position == reference { return .reference(planes: planes) }
    if case .refined(let placed) = frames[position].early { return placed }
    return try registrar.place(
      descriptions[position], planes: planes, on: prepared, among: poses?.motions(of: position, on: reference))
  }
}
