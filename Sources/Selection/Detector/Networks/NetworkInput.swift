import CShimOpenCV
import Frames
import ShimSupport

extension Workspace {
  /// Makes R, G, B bytes without gaps what a network looks at.
  /// - Parameters:
  ///   - size: the picture's, in pixels.
  ///   - wanted: how large the network is to see it.
  ///   - zero: the byte that it sees as 0.
  ///   - unit: what it sees one more as.
  /// - Throws: `ShimError` when memory is missing.
  func fill(
    with rgb: [UInt8], size: Size, scaledTo wanted: Size, zero: Float, unit: Float
  ) throws(ShimError) {
    var status = cs_status()
    let scaled = [UInt8](unsafeUninitializedCapacity: 3 * wanted.area) { scaled, count in
      status = cs_scale_colours(
        rgb, Int32(size.width), Int32(size.height), Int32(wanted.width), Int32(wanted.height), scaled.baseAddress)
      count = status.code == CS_OK ? 3 * wanted.area : 0
    }
    try check(status)
    fill(Volume(channels: 3, height: wanted.height, width: wanted.width)) { input in
      scaled.withUnsafeBufferPointer { rgb in
        for k in rgb.indices { input[k] = (Float(rgb[k]) - zero) * unit }
      }
    }
  }
}
