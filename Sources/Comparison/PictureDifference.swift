package import Frames
import Glibc

/// How far two pictures of one size are apart.
///
/// Both are taken as full-range R'G'B' (grey as three equal channels, subsampled chroma interpolated) and
/// expressed in levels: black is 0, white 255, whatever the depth.
package struct PictureDifference: Sendable, Hashable {
  /// Of both pictures, in pixels.
  package let size: Size
  /// Mean of the squared differences over the samples of all three channels, in levels squared.
  package let meanSquare: Double
  /// Mean of the absolute differences over the samples of all three channels, in levels.
  package let mean: Double
  /// Largest absolute difference of any sample, in levels.
  package let largest: Double
  /// What a pixel's largest difference may be, in levels.
  package let tolerance: Double
  /// Share of pixels, 0...1, with a channel that differs by more than `tolerance`.
  package let shareBeyondTolerance: Double
  /// Structural similarity on luma, -1...1 (see `structuralSimilarity`); nil when a side is under 11 pixels.
  package let structuralSimilarity: Double?

  /// 10 log10(255^2 / meanSquare) in decibels; infinite for equal pictures.
  package var peakSignalToNoise: Double {
    meanSquare == 0 ? .infinity : 10 * log10(255 * 255 / meanSquare)
  }

  /// Whether no more than `share` of the pixels lie beyond the tolerance.
  package func isWithinTolerance(share: Double = 0) -> Bool {
    shareBeyondTolerance <= share
  }
}

/// Why two pictures cannot be compared.
package enum ComparisonError: Error, Sendable, Equatable {
  case differentSizes(Size, Size)
  case allocation(AllocationError)
}

/// Compares two pictures of one size, in any encodings and depths.
/// - Parameter tolerance: what a pixel's channels may differ by, in levels of 255.
/// - Throws: `ComparisonError`.
package func compare(
  _ a: Frame, _ b: Frame, tolerance: Double = 0
) throws(ComparisonError) -> PictureDifference {
  let (a, b) = try commonPictures(a, b)
  var squares = 0.0
  var absolutes = 0.0
  var largest: Int32 = 0
  var beyond = 0
  let limit = Int32(min(max(tolerance, 0), 255) * unitsPerLevel)
  forEachRow(a, b) { differences in
    let width = differences.count / 3
    for x in 0..<width {
      let (red, green, blue) = (differences[x], differences[width + x], differences[2 * width + x])
      let worst = max(red, green, blue)
      largest = max(largest, worst)
      beyond += worst > limit ? 1 : 0
      absolutes += Double(red + green + blue)
      squares += Double(red) * Double(red) + Double(green) * Double(green) + Double(blue) * Double(blue)
    }
  }
  let samples = Double(3 * a.size.area)
  return PictureDifference(
    size: a.size,
    meanSquare: squares / samples / (unitsPerLevel * unitsPerLevel),
    mean: absolutes / samples / unitsPerLevel,
    largest: Double(largest) / unitsPerLevel,
    tolerance: tolerance,
    shareBeyondTolerance: Double(beyond) / Double(a.size.area),
    structuralSimilarity: Comparison.structuralSimilarity(a, b))
}
