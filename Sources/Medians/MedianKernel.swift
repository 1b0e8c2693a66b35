package import Frames

/// The median over `frames` frames of each of `count` samples: the middle one, or `(a + b + 1) >> 1` of the two
/// middle ones.
///
/// Exact: 2 to 32 frames take a comparator network, more take bitwise selection.
/// - Parameters:
///   - frames: 1...65535.
///   - samples: frame k starts at `samples + k * MedianLayout.frameStride`.
///   - output: apart from the input.
package func medianRow<S: Sample>(
  _ frames: Int, _ samples: UnsafePointer<S>, count: Int, into output: UnsafeMutablePointer<S>
) {
  precondition((1...65535).contains(frames) && count <= MedianLayout.frameStride)
  if frames == 1 { return output.update(from: samples, count: count) }
  // Concrete types make the kernels compile to vector code whoever calls.
  switch (S.self == UInt8.self, (2...32).contains(frames)) {
  case (true, true): medianByNetwork(frames, rebound(samples, UInt8.self), count: count, into: rebound(output))
  case (false, true): medianByNetwork(frames, rebound(samples, UInt16.self), count: count, into: rebound(output))
  case (true, false): medianBySelection(frames, rebound(samples, UInt8.self), count: count, into: rebound(output))
  case (false, false): medianBySelection(frames, rebound(samples, UInt16.self), count: count, into: rebound(output))
  }
}

private func rebound<S, T>(_ pointer: UnsafePointer<S>, _ type: T.Type) -> UnsafePointer<T> {
  UnsafeRawPointer(pointer).assumingMemoryBound(to: type)
}

private func rebound<S, T>(_ pointer: UnsafeMutablePointer<S>) -> UnsafeMutablePointer<T> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: T.self)
}
