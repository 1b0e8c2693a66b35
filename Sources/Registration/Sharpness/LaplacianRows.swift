import CShimKernels
import Resampling

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
    let columns = KernelParts(.areas(of: Int(picture.width), count: width), within: Int(picture.width))
    let rows = KernelParts(.areas(of: Int(picture.height), count: height), within: Int(picture.height))
    let stride = columns.count + 2
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
