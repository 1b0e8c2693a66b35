package import CShimKernels
package import Frames

// How values are handed to kernels.

extension Plane {
  /// Gives `body` the plane as C sees it, valid while it runs.
  package func withKernelPlane<R>(_ body: (cs_plane) -> R) -> R {
    withUnsafeBytes { samples in
      body(cs_plane(samples: samples, stride: stride, width: Int32(width), height: Int32(height), bits: Int32(bits)))
    }
  }
}

extension SmoothField? {
  /// Gives `body` the field as C sees it, valid while it runs; nil for none.
  package func withKernelField<R>(_ body: (UnsafePointer<cs_warp_field>?) -> R) -> R {
    guard let field = self else { return body(nil) }
    return field.values.withUnsafeBufferPointer { values in
      let field = cs_warp_field(
        columns: Int32(field.columns), rows: Int32(field.rows), width: Int32(field.size.width),
        height: Int32(field.size.height), values: values.baseAddress)
      return withUnsafePointer(to: field) { body($0) }
    }
  }
}

extension Homography {
  /// The nine numbers, row by row, as C holds them.
  package typealias KernelMatrix = (Double, Double, Double, Double, Double, Double, Double, Double, Double)

  /// Row by row.
  package var kernelMatrix: KernelMatrix {
    let e = elements
    return (e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8])
  }
}

extension PixelEncoding {
  /// What chroma adds to luma in the colours, for samples of `bits`; nil where no plane is chroma.
  package func chromaInLight(bits: Int) -> cs_chroma_in_light? {
    guard case .yCbCr(let matrix, _) = self else { return nil }
    let scales = (0..<2).map { CodeScale(encoding: self, plane: $0, bits: bits) }
    func factor(_ share: Double) -> Int32 { Int32((1024 * share * scales[1].step / scales[0].step).rounded()) }
    let decoding = matrix.decoding
    return cs_chroma_in_light(
      neutral: Int32(scales[1].zero), cr_to_red: factor(decoding.crToRed), cb_to_green: factor(decoding.cbToGreen),
      cr_to_green: factor(decoding.crToGreen), cb_to_blue: factor(decoding.cbToBlue))
  }
}
