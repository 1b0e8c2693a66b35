import Frames
import Resampling

/// The rows of the Laplacian of a grey picture that is first averaged over the areas of fewer pixels, whatever the
/// factor.
///
/// The filter is the 3x3 kernel with 8 in the middle and -1 around it; past the border, the row or column next to the
/// outermost stands again.
struct LaplacianRows {
  let width: Int
  let height: Int
  /// The reduced picture with a border of one pixel.
  private let samples: [UInt8]
  private var stride: Int { width + 2 }

  /// - Parameters:
  ///   - picture: of 8 bits.
  ///   - width: no more than the picture's, and positive, as is `height`.
  init(_ picture: GreyPicture, width: Int, height: Int) {
    precondition((1...picture.width).contains(width) && (1...picture.height).contains(height))
    self.width = width
    self.height = height
    let stride = width + 2
    let columns = EqualParts(of: picture.width, count: width)
    let rows = EqualParts(of: picture.height, count: height)
    samples = Array(unsafeUninitializedCapacity: stride * (height + 2)) { samples, count in
      count = stride * (height + 2)
      guard let base = samples.baseAddress else { return }
      func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + (y + 1) * stride + 1 }
      var line = [Float](repeating: 0, count: picture.width)
      var sums = [Float](repeating: 0, count: width)
      for y in 0..<height {
        for x in line.indices { line[x] = 0 }
        for (tap, weights) in rows.weights.enumerated() where weights[y] > 0 {
          line.withUnsafeMutableBufferPointer { add(picture.row(Int(rows.first[y]) + tap), weights[y], to: $0) }
        }
        for x in sums.indices { sums[x] = 0 }
        for (tap, weights) in columns.weights.enumerated() { add(line, at: columns.first, tap, weights, to: &sums) }
        let target = row(y)
        sums.withUnsafeBufferPointer { sums in
          for x in 0..<width { target[x] = min(sums[x] + 0.5, 255).truncatedByte }
        }
        target[-1] = target[min(1, width - 1)]
        target[width] = target[max(width - 2, 0)]
      }
      (row(-1) - 1).update(from: row(min(1, height - 1)) - 1, count: stride)
      (row(height) - 1).update(from: row(max(height - 2, 0)) - 1, count: stride)
    }
  }

  /// Writes row `y` of the Laplacian.
  func write(_ y: Int, into laplacian: UnsafeMutablePointer<Int16>) {
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      let (above, here, below) = (base + y * stride, base + (y + 1) * stride, base + (y + 2) * stride)
      for x in 0..<width {
        let upper = Int16(above[x]) &+ Int16(above[x &+ 1]) &+ Int16(above[x &+ 2])
        let middle = Int16(here[x]) &+ Int16(here[x &+ 1]) &+ Int16(here[x &+ 2])
        let lower = Int16(below[x]) &+ Int16(below[x &+ 1]) &+ Int16(below[x &+ 2])
        laplacian[x] = 9 &* Int16(here[x &+ 1]) &- (upper &+ middle &+ lower)
      }
    }
  }
}

/// A picture of 8 bits whose samples somebody else keeps.
struct GreyPicture {
  let width: Int
  let height: Int
  /// Bytes from one row to the next.
  let stride: Int
  let samples: UnsafePointer<UInt8>

  func row(_ y: Int) -> UnsafePointer<UInt8> { samples + y * stride }
}

/// Where each of some equal parts of a row of samples begins, and how much each sample from there on counts: all parts
/// have as many weights, of which the last may be 0.
private struct EqualParts {
  private(set) var first: [Int32] = []
  /// The first weight of every part, then the second of every part ...
  private(set) var weights: [[Float]]

  init(of extent: Int, count: Int) {
    let length = Double(extent) / Double(count)
    let most = min(Int(length.rounded(.up)) + 1, extent)
    weights = Array(repeating: Array(repeating: 0, count: count), count: most)
    for i in 0..<count {
      let (start, end) = (Double(i) * length, min(Double(i + 1) * length, Double(extent)))
      // Near the end, earlier samples may be named whose weights are 0.
      let from = min(Int(start), extent - most)
      first.append(Int32(from))
      for tap in 0..<most {
        let sample = Double(from + tap)
        let part = min(sample + 1, end) - max(sample, start)
        weights[tap][i] = Float(max(part, 0) / length)
      }
    }
  }
}
