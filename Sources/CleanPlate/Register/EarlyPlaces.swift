import Frames
import Registration
import ShimSupport
import Synchronization

/// How frames lie on one that comes first, found out while others are still being decoded: of each as it comes in, if that
/// one has. The rest is left to the stage that registers; when a frame is placed does not change where.
final class EarlyPlaces: Sendable {
  /// What is done with what is found out.
  enum Purpose: Sendable {
    /// Others are placed on the reference, which was chosen beforehand.
    case register
    /// Others are placed on the burst's origin, coarsely, so that a reference can be chosen.
    case choose
    /// Others are placed on the first frame, which says nothing of the reference that is chosen in the end.
    case preview
  }

  /// The frame that others are placed on.
  let anchor: BurstIndex
  private let purpose: Purpose
  private let registrar: Registrar
  private let preview: Preview?
  private let state = Mutex(State())

  /// The anchor, as others are placed on it.
  private enum Base: Sendable {
    case origin(FrameDescription)
    case reference(PreparedReference, planes: Int)
  }

  private struct State {
    var base: Base?
    /// The anchor as a preview sees it, where it is so dark that little would be seen otherwise (`Frame.seenAlone`).
    var dark: PreparedReference?
    /// What came in before the anchor and is to be shown.
    var waiting: [DescribedFrame] = []
  }

  init(on anchor: BurstIndex, for purpose: Purpose, registrar: Registrar, preview: Preview?) {
    self.anchor = anchor
    self.purpose = purpose
    self.registrar = registrar
    self.preview = preview
  }

  /// Whether more than a coarse place is found out, which takes as long as decoding.
  var isRefining: Bool { purpose != .choose }

  /// The anchor, once it has come in; nil where it says nothing of the reference.
  var base: Burst.Base? {
    switch (purpose, state.withLock(\.base)) {
    case (.register, .reference(let reference, _)): .reference(reference)
    case (.choose, .origin): .origin(anchor)
    default: nil
    }
  }

  /// The step `place`, for a frame that has been described.
  /// - Returns: nil where nothing can be said yet.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func place(_ frame: DescribedFrame, _ monitor: RunMonitor) async throws -> EarlyPlace? {
    if frame.index == anchor {
      try await begin(with: frame, monitor)
      return nil
    }
    let base = state.withLock { state in
      if state.base == nil, preview != nil { state.waiting.append(frame) }
      return state.base
    }
    switch base {
    case .origin(let origin): return .coarse(try registrar.coarseMotions(of: frame.description, on: origin))
    case .reference(let reference, let planes):
      let placed = try registrar.place(frame.description, planes: planes, on: reference)
      try await show(frame, placed, planes: planes, monitor)
      return purpose == .register ? .refined(placed) : nil
    case nil: return nil
    }
  }

  /// Adds a frame that was placed to the preview.
  private func show(_ frame: DescribedFrame, _ placed: PlacedFrame, planes: Int, _ monitor: RunMonitor) async throws {
    guard let preview else { return }
    var (shown, outcome) = (frame, placed.outcome)
    if let dark = state.withLock(\.dark) {
      shown = try frame.seenAlone(registrar).frame
      outcome = try registrar.place(shown.description, planes: planes, on: dark).outcome
    }
    guard let alignment = outcome.value, let picture = try await preview.add(shown, alignment) else { return }
    monitor.tell(.preview(picture))
  }

  private func begin(with frame: DescribedFrame, _ monitor: RunMonitor) async throws {
    let base: Base
    var dark: PreparedReference?
    if purpose == .choose {
      base = .origin(frame.description)
    } else {
      base = .reference(try registrar.prepare(frame.description), planes: frame.frame.planes.count)
      if let preview {
        let (seen, unusedBits) = try frame.seenAlone(registrar)
        if unusedBits > 0 { dark = try registrar.prepare(seen.description) }
        try preview.begin(with: seen, unusedBits: unusedBits)
      }
    }
    let waiting = state.withLock { state in
      (state.base, state.dark) = (base, dark)
      defer { state.waiting = [] }
      return state.waiting
    }
    for frame in waiting { _ = try await place(frame, monitor) }
  }
}

extension DescribedFrame {
  /// The same as it is looked at before others have come, as `Frame.seenAlone`.
  /// - Throws: `ShimError` when memory runs out.
  fileprivate func seenAlone(_ registrar: Registrar) throws -> (frame: DescribedFrame, unusedBits: Int) {
    let (seen, unusedBits) = frame.seenAlone
    guard unusedBits > 0 else { return (self, 0) }
    let description = try registrar.describe(seen, keepingPyramid: false)
    return (DescribedFrame(index: index, frame: seen, description: description), unusedBits)
  }
}

/// How a frame lies on the one that came first.
enum EarlyPlace: Sendable {
  /// On the burst's origin.
  case coarse(CoarseMotions)
  /// On the reference.
  case refined(PlacedFrame)
}

extension EarlyPlaces {
  /// - Parameter taken: those of the inputs that take part, in the order in which they were taken.
  /// - Returns: nil where nothing is registered.
  convenience init?(_ inputs: [Input], _ taken: [BurstIndex], _ options: Options, _ registrar: Registrar) {
    guard options.isRegistering, let first = taken.first else { return nil }
    let preview = options.previews ? Preview() : nil
    switch options.reference {
    case .auto where options.previews: self.init(on: first, for: .preview, registrar: registrar, preview: preview)
    case .auto:
      let origin = taken[ReferenceChoice.origin(count: taken.count)]
      self.init(on: origin, for: .choose, registrar: registrar, preview: nil)
    case .index(let chosen):
      guard inputs.indices.contains(chosen) else { return nil }
      self.init(on: BurstIndex(rawValue: chosen), for: .register, registrar: registrar, preview: preview)
    case .name(let name):
      guard let chosen = inputs.firstIndex(where: { $0.name == name }) else { return nil }
      self.init(on: BurstIndex(rawValue: chosen), for: .register, registrar: registrar, preview: preview)
    }
  }

  /// The same for frames that come in one after another, whose number nobody knows.
  /// - Parameter frame: the one that comes in.
  /// - Returns: nil where nothing is registered, and as long as the anchor is not known.
  convenience init?(arriving frame: Frame, _ index: BurstIndex, _ options: Options, _ registrar: Registrar) {
    guard options.isRegistering else { return nil }
    let preview = options.previews ? Preview() : nil
    switch options.reference {
    case .auto:
      guard options.previews, index == 0 else { return nil }
      self.init(on: index, for: .preview, registrar: registrar, preview: preview)
    case .index(let chosen):
      self.init(on: BurstIndex(rawValue: chosen), for: .register, registrar: registrar, preview: preview)
    case .name(let chosen):
      guard frame.name == chosen else { return nil }
      self.init(on: index, for: .register, registrar: registrar, preview: preview)
    }
  }
}

extension Options {
  /// Whether frames are placed by what they show.
  fileprivate var isRegistering: Bool { alignment == nil && align != .none }
}
