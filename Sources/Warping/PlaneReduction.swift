import CShim
public import Frames
import ShimSupport

extension Plane {
  /// The plane at 8 bits, averaged over squares of `blocks` samples; what does not fill a square is left out.
  /// - Parameter blocks: from 1 to the plane's smaller side.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out.
  public func averaged(over blocks: Int) throws -> Plane {
    let builder = try PlaneBuilder(width: width / blocks, height: height / blocks, bits: 8)
    let samples = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: builder.width * builder.height)
    defer { samples.deallocate() }
    try withUnsafeBytes { (bytes) throws(ShimError) in
      var view = cs_plane(
        samples: bytes, stride: stride, width: Int32(width), height: Int32(height), bits: Int32(bits))
      try check(cs_reduce_plane(&view, Int32(blocks), samples.baseAddress))
    }
    for y in 0..<builder.height {
      _ = builder.row(y, as: UInt8.self).update(
        fromContentsOf: samples[y * builder.width..<(y + 1) * builder.width])
    }
    return builder.finish()
  }
}
