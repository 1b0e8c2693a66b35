public import Frames
import Registration
import Selection
import Stacking
import SystemPackage

/// A plate, and what was measured on the way.
public struct PlateResult: Sendable {
  /// The plate, with the reference's metadata.
  public let plate: Frame
  /// What was measured and decided; `Report.json()` makes it `report.json`.
  public let report: Report
  /// What was decided for `clean`, in the reference's pixels; nil for other operators. Its
  /// `SelectionPlan.supportPicture(crop:)` draws how many frames back each pixel, over `report.crop`.
  public let plan: SelectionPlan?
  /// Who was removed from the reference; nil unless `Options.foreground` asks for it.
  public let foreground: Foreground?
  /// What each frame shows where the plate is not known to be free; nil unless `Options.layers` asks for it.
  public let layers: PlateLayers?
}

/// Makes a clean plate: the photo that nobody walked through.
///
/// ```swift
/// let result = try await makePlate(from: paths.map { .file(path: $0) }, options: Options()) { event in print(event) }
/// ```
/// Frames that cannot be read or registered are left out, with an event and the reason in the report.
/// - Parameters:
///   - inputs: at least two pictures of one scene; the report counts them as they come here.
///   - options: how.
///   - onEvent: is told from any task what happens; it should return at once.
/// - Throws: `PlateError`; `EditError` when an edit cannot be made; `ReportError` when
///   `Options.alignment` does not fit the inputs; `FileError` when `Options.keep` cannot be written; `AllocationError`;
///   `CancellationError` when the task was cancelled.
public func makePlate(
  from inputs: [Input], options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
) async throws -> PlateResult {
  try await makePlate(from: inputs, options: options, sharing: RunResources(options), onEvent: onEvent)
}

/// The same with what runs that go on at once have in common.
func makePlate(
  from inputs: [Input], options: Options, sharing resources: RunResources, onEvent: @escaping @Sendable (Event) -> Void
) async throws -> PlateResult {
  let clock = RunMonitor(onEvent)
  let burst = try await decode(inputs, options, resources, clock)
  return try await makePlate(of: burst, options, sharing: resources, clock)
}

/// Makes a plate out of frames that have been read.
func makePlate(
  of burst: Burst, _ options: Options, sharing resources: RunResources, _ clock: RunMonitor
) async throws -> PlateResult {
  let developed = try await develop(burst, options, sharing: resources, clock)
  let (aligned, plan, planes) = (developed.aligned, developed.plan, developed.planes)
  let plate = aligned.picture(planes, like: aligned.reference)
  let foreground =
    options.foreground ? try await clock.measure(.foreground) { try await aligned.foreground(of: plate, plan) } : nil
  var layers: PlateLayers?
  if options.layers, let plan {
    layers = try await clock.measure(.layers) { try await aligned.openLayers(of: plate, plan) }
  }
  if let parent = options.keep {
    let folder = try await SessionFolder.make(under: parent) {
      try await aligned.keep(in: $0, developed.report(plan))
    }
    clock.tell(.kept(folder: folder))
  }
  return PlateResult(
    plate: plate, report: developed.report(plan), plan: plan, foreground: foreground, layers: layers)
}

/// A burst whose samples are combined, with what they were combined by.
struct DevelopedBurst: Sendable {
  let aligned: AlignedBurst
  /// For `clean`.
  let plan: SelectionPlan?
  /// The weights of the detector that took part.
  let detector: FilePath?
  /// The plate's.
  let planes: [Plane]
  /// What the plan was made of, for others; nil where nobody asked for it, or nothing is decided place by place.
  let contest: (edited: EditedContest, detector: Detector?)?
  let clock: RunMonitor

  /// What was measured and decided.
  /// - Parameter plan: the one that the plate was made by.
  func report(_ plan: SelectionPlan?) -> Report { aligned.report(clock, plan, detector: detector) }
}

/// Registers frames that have been read, decides and stacks.
/// - Parameter keepsContest: whether what the plan was made of is kept for others; it takes about as much memory as two
///   frames.
func develop(
  _ burst: Burst, _ options: Options, sharing resources: RunResources, keepsContest: Bool = false, _ clock: RunMonitor
) async throws -> DevelopedBurst {
  let aligned = try await alignBurst(burst, options, clock)
  var (plan, detector): (SelectionPlan?, FilePath?) = (nil, nil)
  var contest: (EditedContest, Detector?)?
  if options.combine == .clean {
    try await clock.measure(.select) {
      let loaded = try resources.detector.load(clock)
      let edits = try aligned.resolved(options.edits)
      let frames = try await aligned.contest(edits, loaded?.detector, clock)
      let edited = try await EditedContest(frames).adding(edits, threads: options.threads)
      plan = try await aligned.plan(edited)
      detector = loaded?.weights
      if keepsContest { contest = (edited, loaded?.detector) }
    }
  }
  let planes = try await clock.measure(.stack) {
    try await stack(aligned.request(aligned.layers, plan: plan)) { clock.tell(.progress(.stack, done: $0, total: $1)) }
  }
  return DevelopedBurst(
    aligned: aligned, plan: plan, detector: detector, planes: planes, contest: contest, clock: clock)
}

/// Registers a burst and hands over every accepted frame as the reference's camera would have taken it: turned,
/// shifted and matched in exposure, on the plate's rectangle.
/// - Parameters:
///   - inputs: at least two pictures of one scene; the report counts them as they come here.
///   - options: how; `combine` plays no part.
///   - onEvent: is told from any task what happens; it should return at once.
///   - receive: is given each frame's index in the burst and its registered picture, one after another.
/// - Returns: what was measured.
/// - Throws: as `makePlate`, and what `receive` throws.
public func alignFrames(
  of inputs: [Input], options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in },
  receive: (Int, Frame) async throws -> Void
) async throws -> Report {
  let clock = RunMonitor(onEvent)
  let burst = try await decode(inputs, options, RunResources(options), clock)
  let aligned = try await alignBurst(burst, options, clock)
  try await clock.measure(.stack) {
    for (done, layer) in aligned.layers.enumerated() {
      let planes = try await stack(aligned.request([layer]))
      try await receive(layer.index.rawValue, aligned.picture(planes, like: layer.frame))
      clock.tell(.progress(.stack, done: done + 1, total: aligned.layers.count))
    }
  }
  return aligned.report(clock)
}

func decode(
  _ inputs: [Input], _ options: Options, _ resources: RunResources, _ clock: RunMonitor
) async throws -> Burst {
  guard inputs.count >= 2 else { throw PlateError.tooFewInputs(inputs.count) }
  return try await clock.measure(.decode) { try await readBurst(inputs, options, resources, clock) }
}

/// Registers and crops.
private func alignBurst(_ burst: Burst, _ options: Options, _ clock: RunMonitor) async throws -> AlignedBurst {
  let placed = try await clock.measure(.register) { try await register(burst, options, clock) }
  let registered = options.crop == .common ? leavingCostlyOnesOut(placed, of: burst, clock) : placed
  let layers = try registered.layers(of: burst)
  let crop = try plateRegion(layers, reference: registered.reference, options)
  clock.tell(.cropped(crop, of: registered.reference.size))
  return AlignedBurst(
    burst: burst, registered: registered, layers: layers, crop: crop, options: options)
}

extension Frame {
  /// Where a plate's samples sit that is drawn in this frame: the same subsampling, centred.
  var plateGrids: [PlaneGrid] {
    grids.map { PlaneGrid(scaleX: $0.scaleX, scaleY: $0.scaleY) }
  }
}

/// The part of the reference that the plate shows.
private func plateRegion(_ layers: [RegisteredFrame], reference: Frame, _ options: Options) throws(PlateError) -> Region
{
  switch options.crop {
  case .reference: return reference.size.bounds
  case .common:
    guard let region = commonRegion(of: layers, reference: reference) else { throw .nothingInCommon }
    return region
  }
}
