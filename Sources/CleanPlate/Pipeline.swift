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
  let monitor = RunMonitor(onEvent)
  // To check and load a detector takes a core as long as to decode two frames.
  async let detector: Void = options.combine == .clean ? resources.detector.prepare() : ()
  let burst = try await decode(inputs, options, resources, monitor)
  await detector
  return try await makePlate(of: burst, options, sharing: resources, monitor)
}

/// Makes a plate out of frames that have been read.
func makePlate(
  of burst: Burst, _ options: Options, sharing resources: RunResources, _ monitor: RunMonitor
) async throws -> PlateResult {
  let developed = try await develop(burst, options, sharing: resources, monitor)
  let (aligned, plan, planes) = (developed.aligned, developed.plan, developed.planes)
  let plate = aligned.picture(planes, like: aligned.reference)
  let foreground =
    options.foreground ? try await monitor.measure(.foreground) { try await aligned.foreground(of: plate, plan) } : nil
  var layers: PlateLayers?
  if options.layers, let plan {
    layers = try await monitor.measure(.layers) { try await aligned.openLayers(of: plate, plan) }
  }
  if let parent = options.keep {
    let folder = try await SessionFolder.make(under: parent, keepsMetadata: options.keepsMetadata) {
      try await aligned.keep(in: $0, developed.report(plan))
    }
    monitor.tell(.kept(folder: folder))
  }
  return PlateResult(
    plate: plate, report: developed.report(plan), plan: plan, foreground: foreground, layers: layers)
}

/// A burst whose samples are combined, with what they were combined by.
struct DevelopedBurst: Sendable {
  let aligned: AlignedBurst
  /// For `clean`.
  let plan: SelectionPlan?
  /// The detector that took part, be it in placing frames or in choosing.
  let detector: DetectorOption.Files?
  /// The plate's.
  let planes: [Plane]
  /// What the plan was made of, for others; nil where nobody asked for it, or nothing is decided place by place.
  let contest: (edited: EditedContest, detector: Detector?)?
  let monitor: RunMonitor

  /// What was measured and decided.
  /// - Parameter plan: the one that the plate was made by.
  func report(_ plan: SelectionPlan?) -> Report { aligned.report(monitor, plan, detector: detector) }
}

/// Registers frames that have been read, decides and stacks.
/// - Parameter keepsContest: whether what the plan was made of is kept for others; it takes about as much memory as two
///   frames.
func develop(
  _ burst: Burst, _ options: Options, sharing resources: RunResources, keepsContest: Bool = false, _ monitor: RunMonitor
) async throws -> DevelopedBurst {
  let movers = resources.movers(options, options.combine == .clean ? monitor : nil)
  let aligned = try await alignBurst(burst, options, movers: movers?.boxes, monitor)
  var (plan, detector): (SelectionPlan?, DetectorOption.Files?) = (nil, nil)
  var contest: (EditedContest, Detector?)?
  if options.combine == .clean {
    try await monitor.measure(.select) {
      let loaded = try resources.detector.load(monitor)
      let edits = try aligned.resolved(options.edits)
      let frames = try await aligned.contest(edits, loaded?.detector, monitor)
      let edited = try await EditedContest(frames).adding(edits, threads: options.threads)
      plan = try await aligned.plan(edited)
      detector = loaded?.files
      if keepsContest { contest = (edited, loaded?.detector) }
    }
  } else {
    detector = movers?.files
  }
  let planes = try await monitor.measure(.stack) {
    try await stack(aligned.request(aligned.frames, plan: plan)) {
      monitor.tell(.progress(.stack, done: $0, total: $1))
    }
  }
  return DevelopedBurst(
    aligned: aligned, plan: plan, detector: detector, planes: planes, contest: contest, monitor: monitor)
}

/// Registers a burst and hands over every accepted frame as the reference's camera would have taken it: turned,
/// shifted and matched in exposure, on the plate's rectangle.
/// - Parameters:
///   - inputs: at least two pictures of one scene; the report counts them as they come here.
///   - options: how; `combine` plays no part.
///   - onEvent: is told from any task what happens; it should return at once.
///   - receive: is given each frame's index in the burst and its registered picture, one after another, where the caller runs.
/// - Returns: what was measured.
/// - Throws: as `makePlate`, and what `receive` throws.
public nonisolated(nonsending) func alignFrames(
  of inputs: [Input], options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in },
  receive: nonisolated(nonsending) (Int, Frame) async throws -> Void
) async throws -> Report {
  let monitor = RunMonitor(onEvent)
  let resources = RunResources(options)
  let burst = try await decode(inputs, options, resources, monitor)
  let movers = resources.movers(options, nil)
  let aligned = try await alignBurst(burst, options, movers: movers?.boxes, monitor)
  let start = try monitor.begin(.stack)
  for (done, registered) in aligned.frames.enumerated() {
    let planes = try await stack(aligned.request([registered]))
    try await receive(registered.index.rawValue, aligned.picture(planes, like: registered.frame))
    monitor.tell(.progress(.stack, done: done + 1, total: aligned.frames.count))
  }
  monitor.end(.stack, since: start)
  return aligned.report(monitor, detector: movers?.files)
}

func decode(
  _ inputs: [Input], _ options: Options, _ resources: RunResources, _ monitor: RunMonitor
) async throws -> Burst {
  guard inputs.count >= 2 else { throw PlateError.tooFewInputs(inputs.count) }
  return try await monitor.measure(.decode) { try await readBurst(inputs, options, resources, monitor) }
}

/// Registers and crops.
/// - Parameter movers: finds who may move in a frame; nil where nobody can.
private func alignBurst(_ burst: Burst, _ options: Options, movers: MoverSearch?, _ monitor: RunMonitor)
  async throws -> AlignedBurst
{
  var placed = try await monitor.measure(.register) { try await register(burst, options, movers: movers, monitor) }
  let windows = fixedWindows(of: try placed.frames(of: burst), reference: placed.reference)
  // The reference's own is told, or else the one of most pixels.
  let sizes = windows.keys.sorted { ($1.area, $1.width) < ($0.area, $0.width) }
  if let size = sizes.first(where: { $0 == placed.reference.size }) ?? sizes.first, let window = windows[size] {
    let isCut = options.crop == .common
    if isCut { placed.windows = windows }
    monitor.tell(.bordered(window: window, of: size, isCut: isCut))
  }
  let (registered, common) =
    options.crop == .common
    ? leavingCostlyOnesOut(placed, of: burst, monitor, threads: options.threads) : (placed, nil)
  let frames = try registered.frames(of: burst)
  let marks = try await fixedMarks(
    on: frames, reference: registered.referenceIndex, within: registered.shown, threads: options.threads)
  if !marks.isEmpty { monitor.tell(.marked(places: marks, of: registered.reference.size)) }
  let crop = try plateRegion(frames, reference: registered.reference, common, options)
  monitor.tell(.cropped(crop, of: registered.shown.size))
  return AlignedBurst(
    burst: burst, registered: registered, frames: frames, crop: crop, options: options)
}

extension Frame {
  /// Where a plate's samples sit that is drawn in this frame: the same subsampling, centred.
  var plateGrids: [PlaneGrid] {
    grids.map { PlaneGrid(scaleX: $0.scaleX, scaleY: $0.scaleY) }
  }
}

/// The part of the reference that the plate shows.
/// - Parameter common: what the frames have in common, where that is known.
private func plateRegion(
  _ frames: [RegisteredFrame], reference: Frame, _ common: Region?, _ options: Options
) throws(PlateError) -> Region {
  switch options.crop {
  case .reference: return reference.size.bounds
  case .common:
    let found = common ?? commonRegion(of: frames, reference: reference, threads: options.threads)
    guard let region = found else { throw .nothingInCommon }
    return region
  }
}
