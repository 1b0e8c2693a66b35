import Frames
import Glibc

/// The mean structural similarity of the lumas of two 16-bit R'G'B' pictures: Z. Wang, A. C. Bovik, H. R. Sheikh,
/// E. P. Simoncelli, "Image quality assessment: from error visibility to structural similarity", IEEE Transactions
/// on Image Processing 13(4), 2004.
///
/// Windows are Gaussian, 11x11 pixels, sigma 1.5; K1 = 0.01, K2 = 0.03, L = 255; luma is BT.601's. The mean is over
/// all windows that lie within the picture; nil when there is none.
func structuralSimilarity(_ a: Frame, _ b: Frame) -> Double? {
  let size = a.size
  let taps = gaussianTaps
  guard size.width >= taps.count, size.height >= taps.count else { return nil }
  var lumaA = [Double](repeating: 0, count: size.width)
  var lumaB = lumaA
  var ring = MomentRing(columns: size.width - taps.count + 1, taps: taps)
  var sum = 0.0
  for y in 0..<size.height {
    readLuma(of: a, row: y, into: &lumaA)
    readLuma(of: b, row: y, into: &lumaB)
    ring.push(lumaA, lumaB)
    if y >= taps.count - 1 { sum += ring.similarity() }
  }
  return sum / Double((size.width - taps.count + 1) * (size.height - taps.count + 1))
}

/// The window along one axis, with a sum of 1.
private var gaussianTaps: [Double] {
  let raw = (-5...5).map { exp(-Double($0 * $0) / (2 * 1.5 * 1.5)) }
  let sum = raw.reduce(0, +)
  return raw.map { $0 / sum }
}

private func readLuma(of picture: Frame, row y: Int, into luma: inout [Double]) {
  let (red, blue) = YCbCrMatrix.bt601.coefficients
  let weights = [red, 1 - red - blue, blue]
  for x in luma.indices { luma[x] = 0 }
  for (channel, weight) in weights.enumerated() {
    picture.planes[channel].withUnsafeRow(y, as: UInt16.self) { samples in
      for x in luma.indices { luma[x] += weight / unitsPerLevel * Double(samples[x]) }
    }
  }
}

/// The last eleven rows of five moments (a, b, a^2, b^2, ab), filtered along the row already.
private struct MomentRing {
  private let columns: Int
  private let taps: [Double]
  private var rows: [[Double]]
  private var next = 0

  init(columns: Int, taps: [Double]) {
    self.columns = columns
    self.taps = taps
    rows = Array(repeating: Array(repeating: 0, count: 5 * columns), count: taps.count)
  }

  mutating func push(_ a: [Double], _ b: [Double]) {
    for x in 0..<columns {
      var (sumA, sumB, squareA, squareB, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for (offset, tap) in taps.enumerated() {
        let (p, q) = (a[x + offset], b[x + offset])
        sumA += tap * p
        sumB += tap * q
        squareA += tap * p * p
        squareB += tap * q * q
        product += tap * p * q
      }
      rows[next][x] = sumA
      rows[next][columns + x] = sumB
      rows[next][2 * columns + x] = squareA
      rows[next][3 * columns + x] = squareB
      rows[next][4 * columns + x] = product
    }
    next = (next + 1) % taps.count
  }

  /// The sum over the row of windows that the ring spans.
  func similarity() -> Double {
    var moments = [Double](repeating: 0, count: 5 * columns)
    for (offset, tap) in taps.enumerated() {
      let row = rows[(next + offset) % taps.count]
      for index in moments.indices { moments[index] += tap * row[index] }
    }
    let c1 = 0.01 * 255 * 0.01 * 255
    let c2 = 0.03 * 255 * 0.03 * 255
    var sum = 0.0
    for x in 0..<columns {
      let (meanA, meanB) = (moments[x], moments[columns + x])
      let varianceA = moments[2 * columns + x] - meanA * meanA
      let varianceB = moments[3 * columns + x] - meanB * meanB
      let covariance = moments[4 * columns + x] - meanA * meanB
      sum +=
        (2 * meanA * meanB + c1) * (2 * covariance + c2)
        / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }
    return sum
  }
}
