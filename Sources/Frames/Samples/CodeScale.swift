/// How a plane's code values stand for numbers: `value = (code - zero) * step`, luma and R, G, B within 0...1,
/// chroma within -0.5...0.5 (ITU-T H.273, 8.3).
package struct CodeScale: Sendable {
  package let zero: Double
  package let step: Double
  package let maximum: Double

  /// - Parameter plane: the plane's place in the encoding.
  package init(encoding: PixelEncoding, plane: Int, bits: Int) {
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

  @inline(__always)
  package func value(_ code: Double) -> Double { (code - zero) * step }

  package func code(_ value: Double) -> Int {
    Int(min(max((value / step + zero).rounded(), 0), maximum))
  }
}
