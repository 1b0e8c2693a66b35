import CShimKernels
package import Frames
package import ShimSupport

/// A frame's Laplacian on about 1280x720 pixels: a full-size picture would be ranked by its noise.
package struct LaplacianPicture: Sendable {
  package let size: Size
  /// The response of the 3x3 kernel with 8 in the middle to 8-bit luma, row by row.
  package let values: [Int16]

  /// Pixels that are aimed for.
  private static let area = 1280.0 * 720

  /// - Throws: `ShimError` when memory runs out.
  package init(_ frame: FrameDescription) throws(ShimError) {
    size = Self.size(of: frame.proxySize)
    let size = size
    values = try frame.pyramid().levels[0].withKernelPlane { picture in
      let rows = LaplacianRows(picture, width: size.width, height: size.height)
      return Array(unsafeUninitializedCapacity: size.area) { values, count in
        for y in 0..<size.height { rows.write(y, into: values.baseAddress! + y * size.width) }
        count = size.area
      }
    }
  }

  /// The size of a proxy's Laplacian.
  static func size(of proxy: Size) -> Size {
    let scale = min(1, (area / Double(proxy.area)).squareRoot())
    return Size(
      width: max(1, Int((Double(proxy.width) * scale).rounded())),
      height: max(1, Int((Double(proxy.height) * scale).rounded())))
  }
}

/// What is kept of a frame's Laplacian to tell how sharp its parts are: sums over blocks, a sixteenth of the memory.
package struct LaplacianMoments: Sendable {
  /// The frame's full size.
  let frameSize: Size
  /// The picture's size, and how many blocks lie side by side in it.
  private let size: Size
  private let columns: Int
  /// Row by row; 64 responses of at most 2040 fit.
  private let blocks: [cs_response_sums]
  /// Which blocks are white: what was there cannot be seen. Row by row.
  private let isClipped: [Bool]

  /// - Parameters:
  ///   - pyramid: a frame's.
  ///   - frameSize: the frame's full size.
  ///   - width: the Laplacian picture's, in pixels, no more than the proxy's; nil for the usual.
  init(_ pyramid: Pyramid, frameSize: Size, width: Int? = nil) {
    self.frameSize = frameSize
    let proxy = pyramid.size(level: 0)
    var size = LaplacianPicture.size(of: proxy)
    if let width {
      let height = (Double(width) * Double(proxy.height) / Double(proxy.width)).rounded()
      size = Size(width: min(max(width, 1), proxy.width), height: min(max(Int(height), 1), proxy.height))
    }
    self.size = size
    let side = LaplacianRows.blockSide
    let columns = (size.width + side - 1) / side
    self.columns = columns
    blocks = pyramid.levels[0].withKernelPlane { [size] picture in
      LaplacianRows(picture, width: size.width, height: size.height).blocks()
    }
    let grey = SmallPicture(grey: pyramid, side: GreyContest.side)
    isClipped = blocks.indices.map { [size] index in
      let x = (Double(index % columns * side) + Double(side) / 2) / Double(size.width)
      let y = (Double(index / columns * side) + Double(side) / 2) / Double(size.height)
      return grey.sample(x: min(x, 1), y: min(y, 1)) >= Self.white
    }
  }

  /// The level from which on a block counts as white.
  private static let white = 245

  /// Pixels of the frame, along each axis, that are one of the picture's.
  var step: Double { Double(frameSize.width) / Double(size.width) }

  /// The share of the frame that is white.
  var clippedShare: Double { Double(isClipped.count(where: \.self)) / Double(max(isClipped.count, 1)) }

  /// The variance over the whole picture.
  package var variance: Double {
    var moments = Moments()
    for block in blocks { moments.add(block, count: 0) }
    moments.count = size.area
    return moments.variance
  }

  /// The variances in the cells of the common area; nil for cells of which the frame shows next to nothing, or white.
  /// - Parameter homography: frame pixel to reference pixel.
  func variances(over area: CommonArea, homography: Homography) -> [Double?] {
    var cells = [Moments](repeating: Moments(), count: area.cellCount)
    var clipped = [Int](repeating: 0, count: area.cellCount)
    let side = LaplacianRows.blockSide
    let scaleX = Double(frameSize.width) / Double(size.width)
    let scaleY = Double(frameSize.height) / Double(size.height)
    for top in stride(from: 0, to: size.height, by: side) {
      let y = (Double(top) + Double(side) / 2) * scaleY - 0.5
      let first = top / side * columns
      for column in 0..<columns {
        let left = column * side
        let centre = Point(x: (Double(left) + Double(side) / 2) * scaleX - 0.5, y: y)
        guard let cell = area.cell(homography(centre)) else { continue }
        if isClipped[first + column] { clipped[cell] += 1 }
        cells[cell].add(blocks[first + column], count: min(side, size.width - left) * min(side, size.height - top))
      }
    }
    return zip(cells, clipped).map { cell, clipped in
      cell.count >= side * side && 8 * clipped * side * side <= cell.count ? cell.variance : nil
    }
  }

  private struct Moments {
    var count = 0
    private var sum = 0
    private var squares = 0

    mutating func add(_ block: cs_response_sums, count: Int) {
      self.count += count
      sum += Int(block.sum)
      squares += Int(block.squares)
    }

    var variance: Double {
      guard count > 0 else { return 0 }
      let mean = Double(sum) / Double(count)
      return Double(squares) / Double(count) - mean * mean
    }
  }
}
