import CShimKernels

/// The rows of the Laplacian of a grey picture that is first averaged over the areas of fewer pixels, whatever the
/// factor.
///
/// The filter is the 3x3 kernel with 8 in the middle and -1 around it; past the border, the row or column next to the
/// outermost stands again.
struct LaplacianRows {
  let width: Int
  let height: Int
  /// The reduced picture with a border of one pixel, and what fills up its rows.
  private let samples: [UInt8]
  private let stride: Int

  /// - Parameters:
  ///   - picture: of 8 bits.
  ///   - width: no more than the picture's, and positive, as is `height`.
  init(_ picture: cs_plane, width: Int, height: Int) {
    precondition(1...Int(picture.width) ~= width && 1...Int(picture.height) ~= height && picture.bits == 8)
    self.width = width
    self.height = height
    let columns = EqualParts(of: Int(picture.width), count: width)
    let rows = EqualParts(of: Int(picture.height), count: height)
    let stride = columns.first.count + 2
    self.stride = stride
    var line = [Float](repeating: 0, count: Int(picture.width) + 4)
    samples = Array(unsafeUninitializedCapacity: stride * (height + 2)) { samples, count in
      count = stride * (height + 2)
      guard let base = samples.baseAddress else { return }
      func row(_ y: Int) -> UnsafeMutablePointer<UInt8> { base + (y + 1) * stride + 1 }
      withUnsafePointer(to: picture) { picture in
        columns.withUnsafeParts { columns in
          rows.withUnsafeParts { rows in
            for y in 0..<height { cs_average_row(picture, columns, rows, Int32(y), &line, row(y)) }
          }
        }
      }
      for y in 0..<height {
        let target = row(y)
        target[-1] = target[min(1, width - 1)]
        target[width] = target[max(width - 2, 0)]
      }
      (row(-1) - 1).update(from: row(min(1, height - 1)) - 1, count: stride)
      (row(height) - 1).update(from: row(max(height - 2, 0)) - 1, count: stride)
    }
  }

  /// Writes row `y` of the Laplacian.
  func write(_ y: Int, into laplacian: UnsafeMutablePointer<Int16>) {
    samples.withUnsafeBufferPointer {
      cs_laplacian_row($0.baseAddress! + start(of: y), stride, Int32(width), laplacian)
    }
  }

  /// Columns and rows of a block; those at the right and bottom edges may be smaller.
  static let blockSide = 8

  /// Sums of the responses and of their squares over blocks, row by row.
  func blocks() -> [cs_response_sums] {
    let columns = (width + Self.blockSide - 1) / Self.blockSide
    let rows = (height + Self.blockSide - 1) / Self.blockSide
    return samples.withUnsafeBufferPointer { samples in
      Array(unsafeUninitializedCapacity: columns * rows) { blocks, count in
        for row in 0..<rows {
          let top = row * Self.blockSide
          cs_laplacian_blocks(
            samples.baseAddress! + start(of: top), stride, Int32(width), Int32(min(Self.blockSide, height - top)),
            blocks.baseAddress! + row * columns)
        }
        count = columns * rows
      }
    }
  }

  private func start(of y: Int) -> Int { (y + 1) * stride + 1 }
}

/// Where each of some equal parts of a row of samples begins, and how much each sample from there on counts.
private struct EqualParts {
  private let taps: Int
  /// As `cs_parts` has them: four parts at a time, the last of which may stand for nothing.
  private(set) var first: [Int32]
  private var weights: [Float]

  init(of extent: Int, count: Int) {
    let length = Double(extent) / Double(count)
    taps = min(Int(length.rounded(.up)) + 1, extent)
    let padded = (count + 3) / 4 * 4
    first = Array(repeating: 0, count: padded)
    weights = Array(repeating: 0, count: (taps + 3) / 4 * padded * 4)
    for i in 0..<count {
      let (start, end) = (Double(i) * length, min(Double(i + 1) * length, Double(extent)))
      // Near the end, earlier samples may be named whose weights are 0.
      let from = min(Int(start), extent - taps)
      first[i] = Int32(from)
      for tap in 0..<taps {
        let sample = Double(from + tap)
        let part = min(sample + 1, end) - max(sample, start)
        weights[(tap / 4 * padded + i) * 4 + tap % 4] = Float(max(part, 0) / length)
      }
    }
  }

  /// Gives `body` the parts as C sees them, valid while it runs.
  func withUnsafeParts(_ body: (UnsafePointer<cs_parts>) -> Void) {
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        var parts = cs_parts(
          count: Int32(first.count), taps: Int32(taps), first: first.baseAddress, weights: weights.baseAddress)
        body(&parts)
      }
    }
  }
}
