package import Frames

/// What samples mean, how deep they are and where they sit: what two frames must share to be compared, and
/// what an encoder asks for.
package struct PixelLayout: Sendable, Hashable {
  /// What the samples mean.
  package var encoding: PixelEncoding
  /// Significant bits, 8...16.
  package var bits: Int
  /// One per plane.
  package var grids: [PlaneGrid]

  /// All planes in full resolution, unless `grids` says otherwise: one for each plane of the encoding.
  package init(encoding: PixelEncoding, bits: Int, grids: [PlaneGrid]? = nil) {
    self.encoding = encoding
    self.bits = bits
    self.grids = grids ?? Array(repeating: .full, count: encoding.planeCount)
    precondition(self.grids.count == encoding.planeCount)
  }
}

extension Frame {
  /// The layout of its planes.
  package var layout: PixelLayout { PixelLayout(encoding: encoding, bits: bits, grids: grids) }
}
