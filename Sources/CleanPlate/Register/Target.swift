import Codecs
import Frames
import Registration

/// The reference, whole or small, as what others are made comparable with.
struct Target: Sendable {
  let index: BurstIndex
  /// With at least the significant bits that are wanted.
  let reference: Frame
  private let budget: MemoryBudget?

  /// A reference by itself.
  init(_ reference: Frame, _ index: BurstIndex) {
    (self.index, self.reference, budget) = (index, reference, nil)
  }

  /// - Throws: `PlateError` when the frame could not be read, `AllocationError`.
  init(_ burst: Burst, _ index: BurstIndex, _ options: Options) throws {
    guard let frame = burst[index].frame else {
      throw PlateError.tooFewGoodFrames(accepted: 0, rejected: burst.leftOut)
    }
    self.index = index
    let deep = try frame.withUnusedBits(burst.unusedBits).deepened(to: options.bits, burst.budget)
    reference = deep.withUnusedBits(-burst.unusedBits)
    budget = burst.budget
  }

  /// The step `match`: a placed frame with its photometric match, and with samples of the reference's kind.
  /// - Throws: `AllocationError`.
  func match(
    _ frame: Frame, _ index: BurstIndex, _ placed: FrameOutcome<Alignment>
  ) throws -> FrameOutcome<RegisteredFrame> {
    try placed.flatMap { placed in
      if index == self.index { return .accepted(RegisteredFrame(index: index, frame: reference, alignment: placed)) }
      if frame.lacksColours(of: reference) { return .rejected(.differentEncoding) }
      // The grids stay the frame's own: the warp takes them as they are.
      let layout = PixelLayout(
        encoding: reference.encoding, bits: reference.bits, grids: frame.comparableGrids(to: reference))
      var comparable: Frame
      do {
        comparable = try convert(frame, toProfileOf: reference, budget: budget).converted(to: layout, budget: budget)
      } catch let error as CodecError {
        if case .allocation(_, let failure) = error { throw failure }
        return .rejected(.unreadable(reason: error.words))
      }
      defer { for seen in [frame, comparable] { seen.discardResidentSamples() } }
      let matcher = PhotometricMatcher()
      var alignment = placed
      alignment.photometric = matcher.match(comparable, to: reference, alignment: placed)
      if let balance = matcher.whiteBalance(of: comparable, on: reference, alignment: alignment) {
        comparable = try comparable.balanced(by: balance, budget: budget)
        alignment.photometric = matcher.match(comparable, to: reference, alignment: placed)
        alignment.photometric.whiteBalance = balance
      }
      if let strength = matcher.otherStrength(of: comparable, on: reference, alignment: placed) {
        return .rejected(.differentColours(strength: strength), alignment)
      }
      if let doubt = matcher.doubt(of: frame, on: reference, alignment: alignment) {
        (alignment.photometric.doubt, alignment.photometric.clippedShare) = doubt
      }
      return .accepted(RegisteredFrame(index: index, frame: comparable, alignment: alignment))
    }
  }
}

extension Frame {
  /// Whether one of the two is grey, which is no colour that others could be mixed with.
  func lacksColours(of reference: Frame) -> Bool {
    planes.count < reference.planes.count || (reference.planes.count > 1 && differsInColour(from: reference))
  }

  /// The same picture with at least `bits` significant bits a sample.
  /// - Throws: `AllocationError`.
  fileprivate func deepened(to bits: Int?, _ budget: MemoryBudget?) throws(AllocationError) -> Frame {
    guard let bits, bits > self.bits else { return self }
    return try converted(to: PixelLayout(encoding: encoding, bits: bits, grids: grids), budget: budget)
  }

  /// Chroma grids for this frame's samples in the reference's encoding: its own, or full where it has no chroma.
  fileprivate func comparableGrids(to reference: Frame) -> [PlaneGrid] {
    if grids.count == reference.planes.count { return grids }
    return Array(repeating: .full, count: reference.planes.count)
  }
}
