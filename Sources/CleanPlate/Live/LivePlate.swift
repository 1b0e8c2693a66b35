import Codecs
public import Frames
import Registration
import Selection
import Stacking

/// A plate that grows while a camera hands over its frames: each is judged as it comes, and the plate of those so far can
/// be looked at in between, small, by any operator.
///
/// ```swift
/// let live = LivePlate()
/// for await frame in camera.frames {
///   let verdict = try await live.add(frame)
///   if let picture = try await live.plate(.median) { show(picture, verdict) }
/// }
/// ```
/// It is drawn in the first frame, and only small copies are kept. The plate itself is made of the same frames by
/// `EditablePlate` or `makePlate`, which also find the best reference.
public actor LivePlate {
  /// What became of a frame.
  public struct Verdict: Sendable, Hashable {
    /// Its place in the burst, from 0.
    public let index: Int
    /// What messages call it.
    public let name: String
    /// In pixels, upright.
    public let size: Size
    /// Whether the others are placed on it.
    public fileprivate(set) var isReference: Bool
    /// Variance of the Laplacian of downscaled luma, in levels squared, on what all show; 0 where it is not known.
    public fileprivate(set) var sharpness: Double
    /// Why it is left out; nil where it takes part.
    public fileprivate(set) var rejection: Rejection?
  }

  /// What the frames so far promise.
  public struct Prospect: Sendable, Hashable {
    /// Frames that take part.
    public let frames: Int
    /// Places that no frame shows free as far as can be told.
    public let places: Int
    /// Their share of the picture, 0...1.
    public let share: Double
    /// What to do about them while one still can; nil where nothing is left to do.
    public let advice: String?
  }

  private struct Member {
    var verdict: Verdict
    let description: FrameDescription
    /// At 8 bits, of about 1280 pixels.
    let small: Frame
    let factor: Int
    /// Bits that none of its samples uses and that are left out of account here, as `Burst.unusedBits`.
    let unusedBits: Int
    /// Where it lies on the reference, at full size; nil before that was looked for.
    var placed: FrameOutcome<Alignment>?
    /// As a frame of the small plate; nil where it does not fit.
    var registered: RegisteredFrame?
  }

  private let registrar: Registrar
  private let threads: Int
  private var members: [Member] = []
  private var reference: (position: Int, prepared: PreparedReference)?

  /// - Parameters:
  ///   - align: which motions between frames to expect.
  ///   - threads: tasks that work at once, at least 1.
  public init(align: AlignmentModel = .homography, threads: Int = 1) {
    registrar = Registrar(model: align, mesh: false)
    self.threads = max(threads, 1)
  }

  /// What became of the frames so far, in the order in which they came. A later frame may change it: what was sharp
  /// enough among two may be blurred among ten.
  public var verdicts: [Verdict] { members.map(\.verdict) }

  /// Takes the next frame.
  /// - Parameters:
  ///   - frame: as it was decoded.
  ///   - index: its place in the burst; nil counts those that came.
  /// - Returns: what became of it.
  /// - Throws: `CodecError` for samples that exceed the frame's depth; `ShimError` or `AllocationError` when memory runs out.
  @discardableResult
  public func add(_ frame: Frame, index: Int? = nil) throws -> Verdict {
    try frame.checkSamples()
    let factor = frame.previewFactor
    let (seen, unusedBits) = frame.seenAlone
    let verdict = Verdict(
      index: index ?? members.count, name: frame.name, size: frame.size, isReference: false, sharpness: 0,
      rejection: nil)
    members.append(
      Member(
        verdict: verdict, description: try registrar.describe(seen), small: try seen.reduced(by: factor),
        factor: factor, unusedBits: unusedBits))
    let position = members.count - 1
    if reference == nil {
      try makeReference(position)
    } else {
      try place(position)
      // Who stands alone may be the one that shows another scene.
      if members[position].registered == nil, members.count(where: { $0.registered != nil }) == 1 {
        try makeReference(position)
      }
    }
    try judge()
    return members[position].verdict
  }

  /// The plate of the frames that take part, about 1280 pixels wide; nil before there is one.
  /// - Parameter combine: how the samples of a pixel become one; `clean` takes the most time, about half a second.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  public func plate(_ combine: CombineOperator = .median) async throws -> Frame? {
    guard let first = reference?.position else { return nil }
    let frames = current
    let plan = combine == .clean && frames.count > 1 ? try await plan(of: frames) : nil
    let like = members[first].small
    let planes = try await stack(
      StackRequest(
        frames: frames.levelled(by: plan?.colourOffsets ?? [:]), grids: like.grids, crop: like.size.bounds,
        combine: combine, plan: plan, threads: threads))
    return try Frame(planes: planes, encoding: like.encoding, name: like.name, metadata: like.metadata)
      .darkened(by: members[first].unusedBits)
  }

  /// How many places were never free so far, and what to do about them; nil for fewer than two frames.
  /// - Throws: as `plate(_:)`.
  public func prospect() async throws -> Prospect? {
    let frames = current
    guard frames.count > 1 else { return nil }
    let plan = try await plan(of: frames)
    let open = plan.unresolved(in: frames[0].frame.size.bounds)
    return Prospect(
      frames: frames.count, places: open.places, share: open.share,
      advice: ShootingAdvice(places: open.places, frames: frames.count, nearThingsMoved: false)?.whileShooting)
  }

  /// The frames that take part, in the order in which they came.
  private var current: [RegisteredFrame] { members.filter { $0.verdict.rejection == nil }.compactMap(\.registered) }

  private func plan(of frames: [RegisteredFrame]) async throws -> SelectionPlan {
    let position = frames.position(of: BurstIndex(rawValue: reference?.position ?? 0)) ?? 0
    return try await Selector().plan(
      frames, reference: position, size: frames[position].frame.size, threads: threads)
  }

  /// Draws the plate in this frame from now on.
  private func makeReference(_ position: Int) throws {
    reference = (position, try registrar.prepare(members[position].description, threads: threads))
    let alignment = Alignment.reference(planes: members[position].small.planes.count)
    for other in members.indices {
      (members[other].placed, members[other].registered) = (nil, nil)
      members[other].verdict.isReference = other == position
    }
    members[position].placed = .accepted(alignment)
    members[position].registered = RegisteredFrame(
      index: BurstIndex(rawValue: position), frame: members[position].small, alignment: alignment)
    for other in members.indices where other != position { try place(other) }
  }

  /// Finds where a frame lies on the reference.
  private func place(_ position: Int) throws {
    guard let (first, prepared) = reference else { return }
    let member = members[position]
    let like = members[first].small
    let outcome = try registrar.place(member.description, planes: like.planes.count, on: prepared).outcome
    members[position].placed = outcome
    // Both pictures are reduced, each by its own factor.
    guard let reduced = outcome.value?.reduced(from: member.factor, to: members[first].factor) else { return }
    let matched = try Target(like, BurstIndex(rawValue: first)).match(
      member.small, BurstIndex(rawValue: position), .accepted(reduced))
    switch matched {
    case .accepted(let registered):
      members[position].placed = outcome.with { $0.photometric = registered.alignment.photometric }
      members[position].registered = registered
    case .rejected(let reason, _): members[position].placed = outcome.rejected(reason)
    }
  }

  /// The rules of exposure and sharpness, for all frames anew.
  private func judge() throws {
    guard let first = reference?.position else { return }
    let outcomes = members.compactMap(\.placed)
    guard outcomes.count == members.count else { return }
    let measured = try MeasuredBurst(outcomes, frames: members.map(\.description), reference: first)
    let judged = try SharpnessRule().apply(to: ExposureRule().apply(to: outcomes, of: measured), of: measured)
    for (position, outcome) in judged.enumerated() {
      members[position].verdict.sharpness = outcome.alignment?.sharpness ?? 0
      members[position].verdict.rejection = outcome.rejection
    }
  }
}

extension Frame {
  /// A small copy at 8 bits, for filmstrips.
  /// - Parameter width: pixels side by side that are aimed for.
  /// - Throws: `AllocationError`.
  public func thumbnail(width: Int) throws(AllocationError) -> Frame {
    let subsampling = grids.reduce(1) { max($0, $1.scaleX, $1.scaleY) }
    return try reduced(by: max(size.width / max(width, 1) / subsampling, 1) * subsampling)
  }
}
