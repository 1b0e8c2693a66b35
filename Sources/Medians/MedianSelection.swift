import CShimKernels

/// The median over any number of frames of bytes; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
) {
  cs_median_bytes(samples, MedianLayout.frameStride, Int32(frames), Int32(count), output)
}

/// The median over any number of frames of 16-bit samples; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt16>, count: Int, into output: UnsafeMutablePointer<UInt16>
) {
  cs_median_words(samples, MedianLayout.frameStride, Int32(frames), Int32(count), output)
}
