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
  func value(x: Float, y: Float) -> Float { value(place(x, count: size.width), place(y, count: size.height)) }

  @inline(__always)
  private func value(_ column: Place, _ row: Place) -> Float {
    let (upper, lower) = (row.index * size.width, row.next * size.width)
    let top =
      values[upper + column.index] + (values[upper + column.next] - values[upper + column.index]) * column.share
    let bottom =
      values[lower + column.index] + (values[lower + column.next] - values[lower + column.index]) * column.share
    return top + (bottom - top) * row.share
  }

  /// Where a pixel lies along an axis: between which blocks' centres, and how far from the first.
  struct Place {
    let index: Int
    let next: Int
    let share: Float
  }

  @inline(__always)
  func place(_ pixel: Float, count: Int) -> Place {
    let position = min(max((pixel + 0.5) / Float(Self.side) - 0.5, 0), Float(count - 1))
    let index = Int(position)
    return Place(index: index, next: min(index + 1, count - 1), share: position - Float(index))
  }

  /// The same over a picture of which `factor` pixels along each axis are one of the small ones.
  func smoothField(over reference: Size, factor: Int) -> SmoothField {
    SmoothField(columns: size.width + 1, rows: size.height + 1, size: reference) { p in
      value(x: (Float(p.x) + 0.5) / Float(factor) - 0.5, y: (Float(p.y) + 0.5) / Float(factor) - 0.5)
    }
  }
}
