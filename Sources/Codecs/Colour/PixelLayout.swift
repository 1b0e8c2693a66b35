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

/// How a plane's code values stand for numbers: `value = (code - zero) * step`, luma and R, G, B within 0...1,
/// chroma within -0.5...0.5 (ITU-T H.273, 8.3).
struct CodeScale {
  let zero: Double
  let step: Double
  let maximum: Double

  /// - Parameter plane: the plane's place in the encoding.
  init(encoding: PixelEncoding, plane: Int, bits: Int) {
    let full = Double((1 << bits) - 1)
    let unit = Double(1 << (bits - 8))
    maximum = full
    switch encoding {
    case .rgb, .grey(.full): (zero, step) = (0, 1 / full)
    case .grey(.limited): (zero, step) = (16 * unit, 1 / (219 * unit))
    case .yCbCr(_, let range):
      switch (range, plane) {
      case (.full, 0): (zero, step) = (0, 1 / full)
      case (.full, _): (zero, step) = (128 * unit, 1 / full)
      case (.limited, 0): (zero, step) = (16 * unit, 1 / (219 * unit))
      case (.limited, _): (zero, step) = (128 * unit, 1 / (224 * unit))
      }
    }
  }

  func code(_ value: Double) -> Int {
    Int(min(max((value / step + zero).rounded(), 0), maximum))
  }
}
