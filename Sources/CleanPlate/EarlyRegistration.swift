import Frames
import Registration
import ShimSupport
import Synchronization

/// Places frames on a reference that was chosen beforehand while others are still being decoded: as each comes in, if
/// the reference has. The rest is left to the stage that registers; when a frame is placed does not change where.
final class EarlyRegistration: Sendable {
  /// The reference's place among the inputs.
  let index: Int
  private let registrar: Registrar
  private let prepared = Mutex<(reference: Reference, planes: Int)?>(nil)

  init(on index: Int, registrar: Registrar) {
    self.index = index
    self.registrar = registrar
  }

  /// The reference, once it has come in.
  var reference: Reference? { prepared.withLock { $0?.reference } }

  /// - Returns: nil where nothing can be said yet.
  /// - Throws: `ShimError` when memory runs out.
  func receive(_ description: FrameDescription, _ frame: Frame, index: Int) throws(ShimError) -> PlacedFrame? {
    if index == self.index {
      let reference = try registrar.reference(description)
      prepared.withLock { $0 = (reference, frame.planes.count) }
      return nil
    }
    guard let (reference, planes) = prepared.withLock(\.self) else { return nil }
    return try registrar.place(description, index: index, planes: planes, on: reference)
  }
}

extension EarlyRegistration {
  /// - Returns: nil where the reference is not known before all frames are, or nothing is registered.
  convenience init?(_ inputs: [Input], _ options: Options, registrar: Registrar) {
    guard options.alignment == nil, options.align != .none else { return nil }
    let index: Int?
    switch options.reference {
    case .auto: index = nil
    case .index(let chosen): index = inputs.indices.contains(chosen) ? chosen : nil
    case .name(let name): index = inputs.firstIndex { $0.name == name }
    }
    guard let index else { return nil }
    self.init(on: index, registrar: registrar)
  }
}
