/// How samples lie whose median is taken: frame by frame.
package enum MedianLayout {
  /// Samples from one frame to the next. A compile-time constant, so that one comparison tells the compiler that a
  /// network's input and output do not overlap; not a power of two, so that frames do not share cache sets.
  @inlinable @inline(__always) package static var frameStride: Int { 256 * 32 + 64 }
}
