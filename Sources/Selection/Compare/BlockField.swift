import Frames

/// One number per block of the small pictures, bilinear between the blocks' centres.
struct BlockField: Sendable {
  /// Pixels along a block's side; whole cells.
  static let side = 4 * CellGrid.side

  /// Of the small pictures.
  let pictureSize: Size
  /// In blocks; those at the right and bottom edges may be smaller.
  let size: Size
  /// Row by row.
  var values: [Float]

  init(pictureSize: Size) {
    self.pictureSize = pictureSize
    size = Size(
      width: (pictureSize.width + Self.side - 1) / Self.side, height: (pictureSize.height + Self.side - 1) / Self.side)
    values = Array(repeating: 0, count: size.area)
  }

  /// Where a pixel's block stands in `values`.
  @inline(__always)
  func block(x: Int, y: Int) -> Int { y / Self.side * size.width + x / Self.side }

  static func - (a: BlockField, b: BlockField) -> BlockField {
    var result = a
    for index in result.values.indices { result.values[index] -= b.values[index] }
    return result
  }

  /// Every number nearer to 0 by `amount`, or 0.
  func shrunk(by amount: Float) -> BlockField {
    var result = self
    for index in values.indices { result.values[index] -= min(max(values[index], -amount), amount) }
    return result
  }

  /// What 95 % of the absolute values do not exceed.
  var strength: Float {
    let sorted = values.map { abs($0) }.sorted()
    return sorted[(sorted.count - 1) * 95 / 100]
  }

  /// The number at a pixel; beyond the outer blocks' centres, the nearest one's.
  func value(x: Float, y: Float) -> Float {
    let (i, nextX, u) = place(x, count: size.width)
    let (j, nextY, v) = place(y, count: size.height)
    let (upper, lower) = (j * size.width, nextY * size.width)
    let top = values[upper + i] + (values[upper + nextX] - values[upper + i]) * u
    let bottom = values[lower + i] + (values[lower + nextX] - values[lower + i]) * u
    return top + (bottom - top) * v
  }

  /// Runs `body` over a row's pixels in spans in which the numbers lie on one line.
  /// - Parameter body: is given columns, the number at the first, and what each has more than the one before.
  func forEachSpan(row y: Int, _ body: (_ columns: Range<Int>, _ first: Float, _ step: Float) -> Void) {
    let half = Self.side / 2
    var cuts = (0..<size.width).map { half + $0 * Self.side }.filter { $0 < pictureSize.width }
    if cuts.first != 0 { cuts.insert(0, at: 0) }
    cuts.append(pictureSize.width)
    for (start, end) in zip(cuts, cuts.dropFirst()) {
      let first = value(x: Float(start), y: Float(y))
      let last = value(x: Float(end - 1), y: Float(y))
      body(start..<end, first, end - start > 1 ? (last - first) / Float(end - start - 1) : 0)
    }
  }

  private func place(_ pixel: Float, count: Int) -> (Int, next: Int, share: Float) {
    let position = min(max((pixel + 0.5) / Float(Self.side) - 0.5, 0), Float(count - 1))
    let index = Int(position)
    return (index, min(index + 1, count - 1), position - Float(index))
  }

  /// The same over a picture of which `factor` pixels along each axis are one of the small ones.
  func smoothField(over reference: Size, factor: Int) -> SmoothField {
    SmoothField(columns: size.width + 1, rows: size.height + 1, size: reference) { p in
      value(x: (Float(p.x) + 0.5) / Float(factor) - 0.5, y: (Float(p.y) + 0.5) / Float(factor) - 0.5)
    }
  }
}
