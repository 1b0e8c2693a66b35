/// What makes white of one picture the white of another, by factors on its samples of red, green and blue as they are
/// stored. Grey keeps its brightness on the whole, so that what is clipped stays the brightest.
public struct WhiteBalance: Sendable, Hashable {
  /// Of red.
  public let red: Double
  /// Of green.
  public let green: Double
  /// Of blue.
  public let blue: Double

  /// - Parameter matrix: how much each of them counts for brightness.
  package init(red: Double, green: Double, blue: Double, matrix: YCbCrMatrix) {
    let shares = matrix.coefficients
    let luma = shares.red * red + (1 - shares.red - shares.blue) * green + shares.blue * blue
    (self.red, self.green, self.blue) = (red / luma, green / luma, blue / luma)
  }

  /// Of red, green and blue.
  package var gains: [Double] { [red, green, blue] }
}
