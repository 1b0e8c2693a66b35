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
    values = try frame.pyramid().withPicture { picture in
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
  private let blocks: [Block]
  /// Which blocks are white: what was there cannot be seen. Row by row.
  private let isClipped: [Bool]

  /// What the responses of a block add up to.
  private struct Block: Sendable {
    var sum: Int32 = 0
    var squares: UInt32 = 0
  }

  /// Pixels along a block's side; those at the right and bottom edges may be smaller.
  private static let side = 8

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
    let columns = (size.width + Self.side - 1) / Self.side
    self.columns = columns
    blocks = pyramid.withPicture { [size] picture in
      let rows = LaplacianRows(picture, width: size.width, height: size.height)
      return stride(from: 0, to: size.height, by: Self.side).flatMap { top in
        Self.blocks(rows, top..<min(top + Self.side, size.height))
      }
    }
    let grey = SmallPicture(grey: pyramid, side: GreyContest.side)
    isClipped = blocks.indices.map { [size] index in
      let x = (Double(index % columns * Self.side) + Double(Self.side) / 2) / Double(size.width)
      let y = (Double(index / columns * Self.side) + Double(Self.side) / 2) / Double(size.height)
      return grey.sample(x: min(x, 1), y: min(y, 1)) >= Self.white
    }
  }

  /// The blocks that some rows make up.
  private static func blocks(_ laplacian: LaplacianRows, _ rows: Range<Int>) -> [Block] {
    let width = laplacian.width
    return withUnsafeTemporaryAllocation(of: Int16.self, capacity: width) { line in
      var (sums, squares) = ([Int32](repeating: 0, count: width), [UInt32](repeating: 0, count: width))
      for y in rows {
        guard let line = line.baseAddress else { break }
        laplacian.write(y, into: line)
        sums.withUnsafeMutableBufferPointer { sums in
          for x in 0..<width { sums[x] &+= Int32(line[x]) }
        }
        squares.withUnsafeMutableBufferPointer { squares in
          for x in 0..<width { squares[x] &+= UInt32(bitPattern: Int32(line[x]) &* Int32(line[x])) }
        }
      }
      return stride(from: 0, to: width, by: side).map { left in
        (left..<min(left + side, width)).reduce(into: Block()) { block, x in
          block.sum += sums[x]
          block.squares += squares[x]
        }
      }
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
    let side = Self.side
    let scaleX = Double(frameSize.width) / Double(size.width)
    let scaleY = Double(frameSize.height) / Double(size.height)
    for (index, block) in blocks.enumerated() {
      let (left, top) = (index % columns * side, index / columns * side)
      let centre = Point(
        x: (Double(left) + Double(side) / 2) * scaleX - 0.5, y: (Double(top) + Double(side) / 2) * scaleY - 0.5)
      guard let cell = area.cell(homography(centre)) else { continue }
      if isClipped[index] { clipped[cell] += 1 }
      cells[cell].add(block, count: min(side, size.width - left) * min(side, size.height - top))
    }
    return zip(cells, clipped).map { cell, clipped in
      cell.count >= side * side && 8 * clipped * side * side <= cell.count ? cell.variance : nil
    }
  }

  private struct Moments {
    var count = 0
    private var sum = 0
    private var squares = 0

    mutating func add(_ block: Block, count: Int) {
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
