/// Mean differences of median and frame in the blocks, over those of their cells in which both show the same.
struct BlockDifferences {
  /// Per plane.
  private var sums: [BlockField]
  /// Cells that count.
  private var known: BlockField

  /// - Parameters:
  ///   - isBacked: whether the median is what a cell shows; row after row.
  ///   - fields: what was found before, one per plane.
  ///   - reach: levels by which what `fields` leave may differ.
  init(_ cells: CellDifferences, where isBacked: [Bool], after fields: [BlockField], reach: Float) {
    known = BlockField(pictureSize: cells.pictureSize)
    sums = fields.map { _ in BlockField(pictureSize: cells.pictureSize) }
    let (planes, blocks) = (fields.count, known.values.count)
    var counted = [Float](repeating: 0, count: (1 + planes) * blocks)
    counted.withUnsafeMutableBufferPointer { counted in
      cells.forEachSame(after: fields, within: reach) { cell, block in
        guard isBacked[cell] else { return }
        counted[block] += 1
        let (row, column) = cell.quotientAndRemainder(dividingBy: cells.columns)
        for plane in 0..<planes {
          counted[(1 &+ plane) &* blocks &+ block] += cells.means[cells.place(row: row, plane: plane, column: column)]
        }
      }
    }
    known.values = Array(counted[..<blocks])
    for plane in 0..<planes { sums[plane].values = Array(counted[((1 + plane) * blocks)...].prefix(blocks)) }
  }

  /// Widths of the Gaussians, as shares of the longer side, from coarse to fine.
  static let widths: [Float] = [0.5, 0.19, 0.08, 0.032]
  /// A scale that knows this share of a place counts half.
  private static let half: Float = 0.1

  /// Smooth fields, one per plane.
  /// - Parameter scales: how many of the Gaussians, from the widest.
  func fields(scales: Int) -> [BlockField] { fieldsByScale(upTo: scales)[scales - 1] }

  /// Smooth fields, one per plane, by the widest of the Gaussians alone, the two widest, and so on.
  func fieldsByScale(upTo scales: Int = widths.count) -> [[BlockField]] {
    var result = sums.map { _ in BlockField(pictureSize: known.pictureSize) }
    let cells = Float(BlockField.side * BlockField.side / (CellGrid.side * CellGrid.side))
    return Self.widths.prefix(scales).map { width in
      let blur = BoxBlur(size: known.size, deviation: width * Float(max(known.size.width, known.size.height)))
      let knowledge = blur(known.values)
      for plane in sums.indices {
        let sum = blur(sums[plane].values)
        for block in sum.indices {
          result[plane].values[block] =
            (sum[block] + Self.half * cells * result[plane].values[block]) / (knowledge[block] + Self.half * cells)
        }
      }
      return result
    }
  }
}
