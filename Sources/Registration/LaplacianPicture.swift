import CShim
public import Frames
public import ShimSupport

/// A frame's Laplacian on about 1280x720 pixels: a full-size picture would be ranked by its noise.
public struct LaplacianPicture: Sendable {
  public let size: Size
  /// The response of the 3x3 kernel with 8 in the middle to 8-bit luma, row by row.
  public let values: [Int16]

  /// Pixels that are aimed for.
  private static let area = 1280.0 * 720

  /// - Throws: `ShimError` when memory runs out.
  public init(_ frame: FrameDescription) throws(ShimError) {
    size = Self.size(of: frame.proxySize)
    var values = [Int16](repeating: 0, count: size.area)
    let (width, height) = (Int32(size.width), Int32(size.height))
    try check(frame.pyramid().withHandle { cs_pyramid_laplacian($0, width, height, &values) })
    self.values = values
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
public struct LaplacianMoments: Sendable {
  /// The frame's full size.
  let frameSize: Size
  /// The picture's size, and how many blocks lie side by side in it.
  private let size: Size
  private let columns: Int
  /// Row by row; 64 responses of at most 2040 fit.
  private let blocks: [cs_moments]
  /// Which blocks are white: what was there cannot be seen. Row by row.
  private let isClipped: [Bool]

  /// Pixels along a block's side; those at the right and bottom edges may be smaller.
  private static let side = 8

  /// - Parameters:
  ///   - pyramid: a frame's.
  ///   - frameSize: the frame's full size.
  ///   - width: the Laplacian picture's, in pixels, no more than the proxy's; nil for the usual.
  /// - Throws: `ShimError` when memory runs out.
  init(_ pyramid: Pyramid, frameSize: Size, width: Int? = nil) throws(ShimError) {
    self.frameSize = frameSize
    let proxy = pyramid.size(level: 0)
    if let width {
      let height = (Double(width) * Double(proxy.height) / Double(proxy.width)).rounded()
      size = Size(width: min(max(width, 1), proxy.width), height: min(max(Int(height), 1), proxy.height))
    } else {
      size = LaplacianPicture.size(of: proxy)
    }
    columns = (size.width + Self.side - 1) / Self.side
    let rows = (size.height + Self.side - 1) / Self.side
    var blocks = [cs_moments](repeating: cs_moments(), count: columns * rows)
    let (width, height, side) = (Int32(size.width), Int32(size.height), Int32(Self.side))
    try check(pyramid.withHandle { cs_pyramid_laplacian_moments($0, width, height, side, &blocks) })
    self.blocks = blocks
    let grey = SmallPicture(grey: pyramid, side: GreyContest.side)
    isClipped = blocks.indices.map { [columns, size] index in
      let x = (Double(index % columns * Self.side) + Double(Self.side) / 2) / Double(size.width)
      let y = (Double(index / columns * Self.side) + Double(Self.side) / 2) / Double(size.height)
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
  public var variance: Double {
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

    mutating func add(_ block: cs_moments, count: Int) {
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
