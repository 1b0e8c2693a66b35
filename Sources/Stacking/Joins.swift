import Frames

/// Where the cells of a plan meet in one row of a tile: between the centres of neighbouring cells, what they chose is
/// joined by weights that change linearly.
///
/// A join is meant to hide steps of the noise and of faint shades. Where two choices show different things, one of
/// them may be somebody: there each keeps to its own cell, so that nobody becomes half transparent.
struct JoinedRow {
  /// Columns between the centres of two cells, and what the cells around them chose: upper left, upper right, lower
  /// left, lower right.
  struct Segment {
    var columns: Range<Int>
    let corners: (UInt16, UInt16, UInt16, UInt16)
    /// What the membrane adds in these cells.
    let added: SIMD4<Float>

    var isPlain: Bool {
      corners.0 == corners.1 && corners.0 == corners.2 && corners.0 == corners.3 && added == .zero
    }

    func contains(_ choice: UInt16) -> Bool {
      corners.0 == choice || corners.1 == choice || corners.2 == choice || corners.3 == choice
    }
  }

  /// Ordered; their columns count from the tile's left.
  private(set) var segments: [Segment] = []
  /// The lower cells' weight, 0..<1.
  let below: Float
  private let firstColumn: (offset: Int, step: Int)
  private let cell: Int

  /// - Parameters:
  ///   - added: what the membrane adds to the plane, cell by cell; nil for nothing.
  ///   - row: of the plane, counted from the crop's top.
  ///   - columns: of the plane, counted from the crop's left.
  ///   - grid: where the plane's samples sit among the luma pixels.
  ///   - crop: the part of the reference that the plate shows.
  init(_ plan: SelectionPlan, added: [Float]?, row: Int, columns: Range<Int>, grid: PlaneGrid, crop: Region) {
    cell = plan.cell
    // Twice the distance, in luma pixels, of a sample's centre from the first cell's centre.
    firstColumn = (2 * (columns.lowerBound * grid.scaleX + crop.x) + grid.scaleX - cell, 2 * grid.scaleX)
    let height = 2 * (row * grid.scaleY + crop.y) + grid.scaleY - cell
    let upper = height.flooredQuotient(2 * cell)
    below = Float(height - upper * 2 * cell) / Float(2 * cell)
    let rows = (min(max(upper, 0), plan.rows - 1), min(max(upper + 1, 0), plan.rows - 1))
    var start = 0
    while start < columns.count {
      let left = (firstColumn.offset + start * firstColumn.step).flooredQuotient(2 * cell)
      // The first column at or beyond the next centre.
      let next = -(firstColumn.offset - (left + 1) * 2 * cell).flooredQuotient(firstColumn.step)
      let cells = (min(max(left, 0), plan.columns - 1), min(max(left + 1, 0), plan.columns - 1))
      let (upper, lower) = (rows.0 * plan.columns, rows.1 * plan.columns)
      let around = (upper + cells.0, upper + cells.1, lower + cells.0, lower + cells.1)
      let segment = Segment(
        columns: start..<min(next, columns.count),
        corners: (plan.choice[around.0], plan.choice[around.1], plan.choice[around.2], plan.choice[around.3]),
        added: added.map { SIMD4($0[around.0], $0[around.1], $0[around.2], $0[around.3]) } ?? .zero)
      if let last = segments.last, last.isPlain, segment.isPlain, last.corners.0 == segment.corners.0 {
        segments[segments.count - 1].columns = last.columns.lowerBound..<segment.columns.upperBound
      } else {
        segments.append(segment)
      }
      start = segment.columns.upperBound
    }
  }

  /// The weight of the cells to the right at a column of the tile, 0..<1.
  func right(at column: Int) -> Float {
    let twice = firstColumn.offset + column * firstColumn.step
    return Float(twice - twice.flooredQuotient(2 * cell) * 2 * cell) / Float(2 * cell)
  }
}

extension Int {
  fileprivate func flooredQuotient(_ divisor: Int) -> Int {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Combines a tile by `clean`.
/// - Parameters:
///   - plan: whose samples count where; nil lets everybody speak everywhere.
///   - index: which of the frames' planes it is.
///   - grid: where the plane's samples sit among the luma pixels.
///   - crop: the part of the reference that the plate shows.
///   - black: the sample for places that no frame covers.
func combineClean<S: Sample>(
  _ tile: WarpedTile, rule: CleanRule, plan: SelectionPlan?, plane index: Int, grid: PlaneGrid, crop: Region,
  into plane: PlaneBuilder, black: S
) {
  let combiner = CleanOperator(tile: tile, rule: rule, bits: plane.bits, black: black)
  let columns = tile.region.x..<tile.region.x + tile.region.width
  let membrane = plan?.membrane
  let floor = membrane.flatMap { $0.isLight[index] ? Membrane.floor : nil }
  var blender = SeamBlender(combiner, floor: floor)
  for y in 0..<tile.region.height {
    let output = plane.row(tile.region.y + y, as: S.self).baseAddress! + tile.region.x
    guard let plan else {
      combiner.write(row: y, columns: 0..<columns.count, sources: .everybody, to: output)
      continue
    }
    let row = JoinedRow(
      plan, added: membrane?.values[index], row: tile.region.y + y, columns: columns, grid: grid, crop: crop)
    var next = row.segments.startIndex
    while next < row.segments.endIndex {
      let segment = row.segments[next]
      if segment.isPlain {
        combiner.write(
          row: y, columns: segment.columns, sources: plan.sourceSets[Int(segment.corners.0)],
          to: output + segment.columns.lowerBound)
        next += 1
      } else {
        let end = row.segments[next...].firstIndex { $0.isPlain } ?? row.segments.endIndex
        blender.write(row: y, row.segments[next..<end], of: row, plan, to: output)
        next = end
      }
    }
  }
}
