/// What the planes of a frame are.
public enum PixelEncoding: Sendable, Hashable {
  /// One plane.
  case grey(SampleRange)
  /// Y, Cb, Cr.
  case yCbCr(YCbCrMatrix, SampleRange)
  /// R, G, B.
  case rgb

  /// 1 for grey, else 3.
  public var planeCount: Int {
    if case .grey = self { 1 } else { 3 }
  }

  /// The sample that stands for black in a plane: the middle of the range for chroma.
  public func black(plane: Int, bits: Int) -> Int {
    let unit = 1 << (bits - 8)
    switch self {
    case .rgb, .grey(.full): return 0
    case .grey(.limited): return 16 * unit
    case .yCbCr(_, let range): return plane == 0 ? (range == .limited ? 16 * unit : 0) : 128 * unit
    }
  }
}

/// The luma coefficients of Y'CbCr, by the names of their standards.
public enum YCbCrMatrix: String, Sendable, Hashable, Codable {
  case bt601, bt709, bt2020

  /// The shares of red and blue in luma; green has the rest.
  public var coefficients: (red: Double, blue: Double) {
    switch self {
    case .bt601: (0.299, 0.114)
    case .bt709: (0.2126, 0.0722)
    case .bt2020: (0.2627, 0.0593)
    }
  }

  package var decoding: YCbCrDecoding { YCbCrDecoding(self) }
}

/// How much of Cb and Cr is in red and blue, and is taken from green.
package struct YCbCrDecoding: Sendable {
  package let crToRed, cbToGreen, crToGreen, cbToBlue: Double

  init(_ matrix: YCbCrMatrix) {
    let (red, blue) = matrix.coefficients
    let green = 1 - red - blue
    (crToRed, cbToBlue) = (2 * (1 - red), 2 * (1 - blue))
    (cbToGreen, crToGreen) = (cbToBlue * blue / green, crToRed * red / green)
  }

  /// The colour of samples of Y', Cb and Cr as `CodeScale` has their values.
  @inline(__always)
  package func callAsFunction(_ light: Double, _ cb: Double, _ cr: Double) -> (
    red: Double, green: Double, blue: Double
  ) {
    (light + crToRed * cr, light - cbToGreen * cb - crToGreen * cr, light + cbToBlue * cb)
  }
}

/// Which code values stand for black and white (ITU-R BT.601, BT.709).
public enum SampleRange: String, Sendable, Hashable, Codable {
  /// 0...255 at 8 bits.
  case full
  /// Luma 16...235, chroma 16...240 at 8 bits.
  case limited
}
