import Frames
import Registration
import Stacking

/// How the frames of a burst lie on its reference.
struct RegisteredBurst: Sendable {
  let referenceIndex: BurstIndex
  /// With at least the significant bits that are wanted.
  let reference: Frame
  /// One per entry of the burst; the accepted frames have samples of the reference's kind.
  private(set) var outcomes: [FrameOutcome<RegisteredFrame>]
  /// What counts of frames of a size, in their pixels; nil for all.
  var windows: [Size: Region] = [:]
  /// What counts of the reference.
  var shown: Region { windows[reference.size] ?? reference.size.bounds }

  init(_ target: Target, _ outcomes: [FrameOutcome<RegisteredFrame>]) {
    (referenceIndex, reference) = (target.index, target.reference)
    self.outcomes = outcomes
  }

  private(set) subscript(index: BurstIndex) -> FrameOutcome<RegisteredFrame> {
    get { outcomes[index.rawValue] }
    set { outcomes[index.rawValue] = newValue }
  }

  /// Whether any frame beside the reference was accepted.
  var hasCompany: Bool { outcomes.count(where: \.isAccepted) > 1 }

  mutating func leaveOut(_ index: BurstIndex, _ reason: Rejection) {
    self[index] = .rejected(reason, self[index].alignment)
  }

  /// What counts of the accepted frames, in the order in which they were taken.
  /// - Throws: `PlateError.tooFewGoodFrames` when there are fewer than two.
  func frames(of burst: Burst) throws(PlateError) -> [RegisteredFrame] {
    let frames = burst.order.compactMap { self[$0].value }
    guard frames.count >= 2 else {
      let leftOut = burst.order.compactMap { index in
        self[index].rejection.map { PlateError.LeftOut(index: index.rawValue, name: burst[index].name, reason: $0) }
      }
      throw .tooFewGoodFrames(accepted: frames.count, rejected: leftOut)
    }
    return frames.map { frame in windows[frame.frame.size].map { frame.cut(to: $0) } ?? frame }
  }

  /// With the rules of exposure and sharpness applied to the frames that could be compared.
  /// - Throws: `ShimError` when memory runs out.
  fileprivate func leavingPoorOnesOut(_ burst: Burst, _ options: Options) throws -> RegisteredBurst {
    let compared = burst.indices.filter { self[$0].alignment != nil && burst[$0].frame != nil }
    guard let position = compared.firstIndex(of: referenceIndex) else { return self }
    var sharpness = SharpnessRule()
    // A video's frames are small, and speak only where the photo does not.
    if options.motion { sharpness.leastDetail = 0 }
    let outcomes = compared.map { self[$0].lying }
    let measured = try MeasuredBurst(
      outcomes, frames: compared.compactMap { burst[$0].outcome.value?.description }, reference: position)
    let exposed = ExposureRule().apply(to: outcomes, of: measured, threads: options.threads)
    let judged = try sharpness.apply(to: exposed, of: measured, threads: options.threads)
    var result = self
    for (index, outcome) in zip(compared, judged) {
      result[index] = outcome.flatMap { alignment in
        self[index].map { RegisteredFrame(index: index, frame: $0.frame, alignment: alignment) }
      }
    }
    return result
  }
}

/// Brings every frame onto a reference: where it lies, by registration or out of an earlier report; its samples in
/// the reference's kind and exposure; and whether it is sharp enough. As many frames at once as `options.threads`
/// says.
/// - Parameter movers: finds who may move in a frame; nil where nobody can.
/// - Throws: `PlateError` when there is no reference, `ReportError` when an earlier report does not fit.
func register(
  _ burst: Burst, _ options: Options, movers: MoverSearch? = nil, _ monitor: RunMonitor
) async throws -> RegisteredBurst {
  guard !burst.usable.isEmpty else { throw PlateError.tooFewGoodFrames(accepted: 0, rejected: burst.leftOut) }
  let placed =
    if let report = options.alignment {
      try await reuse(report, for: burst, options)
    } else {
      try await RegistrationSteps(burst, options, movers: movers, monitor).run()
    }
  monitor.tell(.referenceChosen(index: placed.referenceIndex.rawValue, name: placed.reference.name))
  let registered = try placed.leavingPoorOnesOut(burst, options)
  for index in burst.usable.sorted() {
    let name = burst[index].name
    switch registered[index] {
    case .accepted(let registered): monitor.tell(.registered(index: index.rawValue, name: name, registered.alignment))
    case .rejected(let reason, _): monitor.tell(.rejected(index: index.rawValue, name: name, reason: reason))
    }
  }
  return registered
}

/// Places frames where an earlier report says.
private func reuse(_ report: Report, for burst: Burst, _ options: Options) async throws -> RegisteredBurst {
  let known = try report.alignments(for: burst)
  if let wanted = try burst.index(of: options.reference), wanted.rawValue != report.reference {
    throw ReportError.otherReference(
      wanted: burst[wanted].name, report: burst.entries[report.reference].name)
  }
  let target = try Target(burst, BurstIndex(rawValue: report.reference), options)
  let outcomes = try await mapIndices(count: known.count, threads: options.threads) { position in
    let index = BurstIndex(rawValue: position)
    return try burst[index].outcome.flatMap { try target.match($0.frame, index, known[position]) }
  }
  return RegisteredBurst(target, outcomes)
}
