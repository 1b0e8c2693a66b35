import CShim
import Frames
import ShimSupport

/// Owns the C++ side of one selection.
final class SelectionHandle: @unchecked Sendable {
  // Unchecked: the steps write disjoint parts, and nothing else changes the object after the pictures are in.
  let pointer: OpaquePointer
  /// How many frames there are, and their planes' size.
  let frames: Int
  let size: Size
  let planes: Int
  let hasChroma: Bool

  /// - Throws: `ShimError` when memory runs out.
  init(frames: Int, reference: Int, size: Size, planes: Int, hasChroma: Bool) throws(ShimError) {
    initializeShim()
    let shape = cs_selection_shape(
      frames: Int32(frames), width: Int32(size.width), height: Int32(size.height), planes: Int32(planes),
      has_chroma: hasChroma ? 1 : 0, reference: Int32(reference))
    var made: OpaquePointer?
    try check(cs_selection_create(shape, &made))
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no selection was made") }
    pointer = made
    self.frames = frames
    self.size = size
    self.planes = planes
    self.hasChroma = hasChroma
  }

  deinit { cs_selection_free(pointer) }

  /// Where the samples of a frame go, rows without gaps.
  func samples(frame: Int, plane: Int) -> UnsafeMutablePointer<UInt8> {
    cs_selection_samples(pointer, Int32(frame), Int32(plane))
  }

  /// Where the covered columns of each row go.
  func spans(frame: Int) -> UnsafeMutablePointer<cs_warp_span> { cs_selection_spans(pointer, Int32(frame)) }

  func setSaturation(frame: Int, level: Float) { cs_selection_saturate(pointer, Int32(frame), level) }

  /// Says, before deciding, which cells must follow a frame.
  /// - Throws: `ShimError` when memory runs out.
  func keep(frame: Int, cells: [UInt8]) throws(ShimError) {
    try check(cs_selection_keep(pointer, Int32(frame), cells))
  }

  /// A step, and into how large parts it is divided.
  typealias Step = (step: cs_selection_step, grain: Int)

  /// Runs steps one after another, the parts of each on `threads` tasks.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  func run(_ steps: [Step], threads: Int) async throws {
    for (step, grain) in steps {
      let extent = Int(cs_selection_extent(pointer, step))
      try await forEachIndex(count: (extent + grain - 1) / grain, threads: threads) { part in
        let (first, end) = (part * grain, min((part + 1) * grain, extent))
        try check(cs_selection_run(self.pointer, step, Int32(first), Int32(end)))
      }
    }
  }
}
