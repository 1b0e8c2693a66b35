import Frames
import Registration
import ShimSupport
import Synchronization

/// Places frames on a reference while others are still being decoded: as each comes in, if the reference has. The rest is
/// left to the stage that registers; when a frame is placed does not change where.
final class EarlyRegistration: Sendable {
  /// The reference's place among the inputs: as chosen beforehand, or, for a preview, the first.
  let index: Int
  private let registrar: Registrar
  private let preview: Preview?
  private let state = Mutex(State())

  private struct State {
    var prepared: (reference: Reference, planes: Int)?
    /// What came in before the reference and is to be shown.
    var waiting: [(description: FrameDescription, frame: Frame, index: Int)] = []
  }

  init(on index: Int, registrar: Registrar, preview: Preview?) {
    self.index = index
    self.registrar = registrar
    self.preview = preview
  }

  /// The reference, once it has come in.
  var reference: Reference? { state.withLock { $0.prepared?.reference } }

  /// - Returns: nil where nothing can be said yet.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func receive(_ description: FrameDescription, _ frame: Frame, index: Int, _ clock: StageClock) async throws
    -> PlacedFrame?
  {
    if index == self.index {
      let reference = try registrar.reference(description)
      try preview?.begin(with: frame)
      let waiting = state.withLock { state in
        state.prepared = (reference, frame.planes.count)
        defer { state.waiting = [] }
        return state.waiting
      }
      for (description, frame, index) in waiting { _ = try await receive(description, frame, index: index, clock) }
      return nil
    }
    let prepared = state.withLock { state in
      if state.prepared == nil, preview != nil { state.waiting.append((description, frame, index)) }
      return state.prepared
    }
    guard let (reference, planes) = prepared else { return nil }
    let placed = try registrar.place(description, index: index, planes: planes, on: reference)
    if let picture = try await preview?.add(frame, placed.alignment) { clock.tell(.preview(picture)) }
    return placed
  }
}

extension EarlyRegistration {
  /// - Parameter taken: places among the inputs of those that take part, in the order in which they were taken.
  /// - Returns: nil where the reference is not known before all frames are and no preview is wanted, or nothing is
  ///   registered.
  convenience init?(_ inputs: [Input], _ taken: [Int], _ options: Options, registrar: Registrar) {
    guard options.alignment == nil, options.align != .none else { return nil }
    let index: Int?
    switch options.reference {
    case .auto: index = options.previews ? taken.first : nil
    case .index(let chosen): index = inputs.indices.contains(chosen) ? chosen : nil
    case .name(let name): index = inputs.firstIndex { $0.name == name }
    }
    guard let index else { return nil }
    self.init(on: index, registrar: registrar, preview: options.previews ? Preview() : nil)
  }
}
