import Codecs
public import Frames
import Resampling
import Selection
import Stacking

/// A plate that is kept with all it was made of, to be looked at closely and put right.
///
/// ```swift
/// let desk = try await EditablePlate(of: inputs, options: try Options())
/// if let changed = try await desk.apply(edits) {
///   show(try await desk.picture(of: changed))
/// }
/// ```
/// Nothing is decoded, registered or compared again for an edit, and only tiles of the plate in which the edit changes
/// something are stacked again. The plate is the same, to the sample, as that of `makePlate` with the same edits.
public actor EditablePlate {
  private let developed: DevelopedBurst
  /// Nil for operators that take no edits.
  private var history: EditHistory?
  private var edits: PlateEdits
  private var plan: SelectionPlan?
  private var planes: [Plane]

  /// Makes a plate as `makePlate(from:options:onEvent:)` does, and keeps the frames.
  /// - Parameters:
  ///   - inputs: at least two pictures of one scene; the report counts them as they come here.
  ///   - options: how.
  ///   - onEvent: is told from any task what happens; it should return at once.
  /// - Throws: as `makePlate(from:options:onEvent:)`.
  public init(
    of inputs: [Input], options: Options, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
  ) async throws {
    let monitor = RunMonitor(onEvent)
    let resources = RunResources(options)
    let burst = try await decode(inputs, options, resources, monitor)
    developed = try await develop(burst, options, sharing: resources, keepsContest: true, monitor)
    (history, edits) = (developed.contest.map { EditHistory($0.edited) }, options.edits)
    (plan, planes) = (developed.plan, developed.planes)
  }

  /// Makes the plate that of these edits, instead of those that were applied before.
  ///
  /// One call follows the other: of two at a time, neither would tell what the other has changed.
  /// - Parameter edits: all that hold from now on.
  /// - Returns: what of the plate was made again, in pixels of the reference; nil where nothing changed.
  /// - Throws: `EditError` when an edit cannot be made; `OptionError` when the operator takes none; `AllocationError`,
  ///   `ShimError`, `CancellationError`. The plate is then as it was.
  @discardableResult
  public func apply(_ edits: PlateEdits) async throws -> Region? {
    let aligned = developed.aligned
    let wanted = try aligned.resolved(edits)
    guard var history else {
      guard edits.isEmpty else { throw OptionError.edits(aligned.options.combine) }
      return nil
    }
    if !history.current.contest.suits(wanted) {
      history = EditHistory(
        EditedContest(try await aligned.contest(wanted, developed.contest?.detector, RunMonitor { _ in })))
    }
    history = try await history.with(wanted, threads: aligned.options.threads)
    let (oldPlan, oldPlanes) = (plan, planes)
    let new = try await aligned.plan(history.current)
    let changed = oldPlan.map { new.changes(from: $0, within: aligned.crop) } ?? [aligned.crop]
    let regions = changed.map { $0.moved(x: -aligned.crop.x, y: -aligned.crop.y) }
    let (planes, renewed) = try await stack(
      aligned.request(aligned.frames, plan: new), renewing: regions, of: oldPlanes)
    (self.edits, self.history, plan, self.planes) = (edits, history, new, planes)
    guard let first = renewed.first else { return nil }
    return renewed.dropFirst().reduce(first) { $0.union($1) }.moved(x: aligned.crop.x, y: aligned.crop.y)
  }

  /// The frame that a place of the plate comes from: the one whose details are kept there, or the first of those whose
  /// samples count.
  /// - Parameter point: in pixels of the reference.
  /// - Returns: its place among the inputs; nil where all frames count, or nothing is decided place by place.
  public func frame(shownAt point: Point) -> Int? {
    guard let plan, point.x >= 0, point.y >= 0, point.x < Double(referenceSize.width),
      point.y < Double(referenceSize.height)
    else { return nil }
    let sources = plan.sourceSets[Int(plan.choice[plan.index(x: Int(point.x), y: Int(point.y))])]
    return (sources.detailFrame ?? sources.frames?.first).map { developed.aligned.frames[$0].index.rawValue }
  }

  /// The plate as it stands, with the reference's metadata.
  public var plate: Frame { developed.aligned.picture(planes, like: developed.aligned.reference) }
  /// What each frame shows where the plate, edits included, is not known to be free; nil for operators other than `clean`.
  /// - Throws: `AllocationError`, `CancellationError`.
  public func layers() async throws -> PlateLayers? {
    guard let plan else { return nil }
    return try await developed.aligned.openLayers(of: plate, plan)
  }
  /// What was measured and decided, edits included.
  public var report: Report {
    var report = developed.report(plan)
    report.options?.edits = edits.isEmpty ? nil : PlateEdits.Document(edits)
    return report
  }
  /// What was decided for `clean`, edits included; nil for other operators.
  public var decisions: SelectionPlan? { plan }
  /// The reference's size, in pixels.
  public nonisolated var referenceSize: Size { developed.aligned.reference.size }
  /// The part of the reference that the plate shows.
  public nonisolated var crop: Region { developed.aligned.crop }
  /// The reference's place among the inputs.
  public nonisolated var referenceIndex: Int { developed.aligned.registered.referenceIndex.rawValue }
  /// Places among the inputs of the frames that take part, in the order in which they were taken.
  public nonisolated var frames: [Int] { developed.aligned.frames.map(\.index.rawValue) }

  /// A part of the plate, or of a frame as the reference's camera would have taken it, reduced.
  /// - Parameters:
  ///   - region: in pixels of the reference; what lies outside the plate is left out.
  ///   - factor: pixels along each axis that become one, at least 1.
  ///   - frame: its place among the inputs; nil for the plate.
  /// - Returns: nil where the plate shows nothing of the region, or the frame takes no part.
  /// - Throws: `AllocationError`, `CancellationError`.
  public func picture(of region: Region, reducedBy factor: Int = 1, frame: Int? = nil) async throws -> Frame? {
    let aligned = developed.aligned
    guard let region = region.intersection(aligned.crop).widened(to: aligned.reference.grids, within: aligned.crop)
    else { return nil }
    let planes: [Plane]
    if let frame {
      guard let registered = aligned.frames.first(where: { $0.index.rawValue == frame }) else { return nil }
      planes = try await stack(aligned.request([registered], crop: region, threads: 1))
    } else {
      let own = Region(
        x: region.x - aligned.crop.x, y: region.y - aligned.crop.y, width: region.width, height: region.height)
      planes = zip(self.planes, aligned.reference.plateGrids).map { plane, grid in plane.part(grid.tile(own)) }
    }
    let whole = Frame(
      planes: planes, grids: aligned.reference.plateGrids, encoding: aligned.reference.encoding,
      name: aligned.reference.name,
      metadata: Metadata(iccProfile: aligned.reference.metadata.iccProfile)
    ).withUnusedBits(aligned.burst.unusedBits)
    return factor > 1 ? try whole.reduced(by: factor) : whole
  }
}

extension Region {
  /// With corners that are multiples of the grids' scales; nil for nothing.
  fileprivate func widened(to grids: [PlaneGrid], within bounds: Region) -> Region? {
    guard !isEmpty else { return nil }
    let (across, down) = (grids.map(\.scaleX).max() ?? 1, grids.map(\.scaleY).max() ?? 1)
    let (left, top) = (x - x % across, y - y % down)
    let right = min((maxX + across - 1) / across * across, bounds.maxX)
    let bottom = min((maxY + down - 1) / down * down, bounds.maxY)
    return Region(x: left, y: top, width: right - left, height: bottom - top)
  }

  fileprivate func moved(x: Int, y: Int) -> Region {
    Region(x: self.x + x, y: self.y + y, width: width, height: height)
  }
}

extension SelectionPlan {
  /// Where plates of the two plans differ, in pixels of the reference: rows of cells that follow others or get other
  /// light, with the cells around them, as neighbours are joined.
  fileprivate func changes(from old: SelectionPlan, within crop: Region) -> [Region] {
    guard cell == old.cell, columns == old.columns, rows == old.rows, noise == old.noise,
      enlargedErrors == old.enlargedErrors, colourOffsets == old.colourOffsets
    else { return [crop] }
    var known: [UInt32: Bool] = [:]
    func differs(_ index: Int) -> Bool {
      guard Membrane.agree(membrane, old.membrane, in: index) else { return true }
      let pair = UInt32(choice[index]) << 16 | UInt32(old.choice[index])
      if let known = known[pair] { return known }
      let result = sourceSets[Int(choice[index])] != old.sourceSets[Int(old.choice[index])]
      known[pair] = result
      return result
    }
    var regions: [Region] = []
    for row in 0..<rows {
      let changed = (0..<columns).filter { differs(row * columns + $0) }
      guard let first = changed.first, let last = changed.last else { continue }
      // The last row and column also stand for what lies beyond.
      let right = last >= columns - 2 ? crop.maxX : (last + 2) * cell
      let bottom = row >= rows - 2 ? crop.maxY : (row + 2) * cell
      let (left, top) = (max(first - 1, 0) * cell, max(row - 1, 0) * cell)
      let region = Region(x: left, y: top, width: right - left, height: bottom - top).intersection(crop)
      if !region.isEmpty { regions.append(region) }
    }
    return regions
  }
}
