public import Frames

extension Registrar {
  /// Registers every frame of a burst directly to its reference.
  /// - Parameters:
  ///   - frames: the burst; an alignment's index is the frame's place here.
  ///   - planes: how many planes the frames have.
  ///   - reference: the reference's place.
  ///   - threads: tasks that may run at once; the result does not depend on it.
  ///   - progress: called for every frame as it is done, from any thread, in any order.
  /// - Returns: one alignment per frame, without photometric match and sharpness.
  /// - Throws: `ShimError` when memory runs out, `CancellationError`.
  public func register(
    _ frames: [FrameDescription], planes: Int, reference: Int, threads: Int,
    progress: @Sendable @escaping (Alignment) -> Void = { _ in }
  ) async throws -> [Alignment] {
    let prepared = try self.reference(frames[reference])
    return try await mapIndices(count: frames.count, threads: threads) { i in
      let alignment =
        i == reference
        ? Alignment.reference(index: i, planes: planes)
        : try register(frames[i], index: i, planes: planes, to: prepared)
      progress(alignment)
      return alignment
    }
  }
}
