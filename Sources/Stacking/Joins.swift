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
    let corners: SIMD4<UInt16>
    /// What the membrane adds in these cells.
    let added: SIMD4<Float>

    var isPlain: Bool { corners == SIMD4(repeating: corners[0]) && added == .zero }

    func contains(_ choice: UInt16) -> Bool { any(corners .== choice) }
  }

  /// Ordered; their columns count from the tile's left.
  private(set) var segments: [Segment] = []
  /// The lower cells' weight, 0..<1.
  private(set) var below: Float = 0
  private let plan: SelectionPlan
  private let added: [Float]?
  private let columnCount: Int
  private let firstColumn: (offset: Int, step: Int)
  private let firstRow: (offset: Int, step: Int)
  private let cell: Int
  /// The row of cells whose centres lie above the row; nil before the first one.
  private var upper: Int?

  /// No row yet.
  /// - Parameters:
  ///   - added: what the membrane adds to the plane, cell by cell; nil for nothing.
  ///   - columns: of the plane, counted from the crop's left.
  ///   - grid: where the plane's samples sit among the luma pixels.
  ///   - crop: the part of the reference that the plate shows.
  init(_ plan: SelectionPlan, added: [Float]?, columns: Range<Int>, grid: PlaneGrid, crop: Region) {
    self.plan = plan
    self.added = added
    columnCount = columns.count
    cell = plan.cell
    // Twice the distance, in luma pixels, of a sample's centre from the first cell's centre.
    firstColumn = (2 * (columns.lowerBound * grid.scaleX + crop.x) + grid.scaleX - cell, 2 * grid.scaleX)
    firstRow = (2 * crop.y + grid.scaleY - cell, 2 * grid.scaleY)
  }

  /// - Parameter row: of the plane, counted from the crop's top.
  mutating func move(to row: Int) {
    let height = firstRow.offset + row * firstRow.step
    let upper = height.flooredQuotient(2 * cell)
    below = Float(height - upper * 2 * cell) / Float(2 * cell)
    // All rows between the centres of two rows of cells meet the same.
    guard upper != self.upper else { return }
    self.upper = upper
    join(min(max(upper, 0), plan.rows - 1), min(max(upper + 1, 0), plan.rows - 1))
  }

  /// Where the cells of two rows meet.
  private mutating func join(_ upper: Int, _ lower: Int) {
    segments.removeAll(keepingCapacity: true)
    var start = 0
    while start < columnCount {
      let left = (firstColumn.offset + start * firstColumn.step).flooredQuotient(2 * cell)
      // The first column at or beyond the next centre.
      let next = -(firstColumn.offset - (left + 1) * 2 * cell).flooredQuotient(firstColumn.step)
      let cells = (min(max(left, 0), plan.columns - 1), min(max(left + 1, 0), plan.columns - 1))
      let (above, below) = (upper * plan.columns, lower * plan.columns)
      let around = (above + cells.0, above + cells.1, below + cells.0, below + cells.1)
      let segment = Segment(
        columns: start..<min(next, columnCount),
        corners: SIMD4(plan.choice[around.0], plan.choice[around.1], plan.choice[around.2], plan.choice[around.3]),
        added: added.map { SIMD4($0[around.0], $0[around.1], $0[around.2], $0[around.3]) } ?? .zero)
      if let last = segments.last, last.isPlain, segment.isPlain, last.corners == segment.corners {
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
func combineClean<S: Sample>(
  _ tile: WarpedTile, rule: CleanRule, plan: SelectionPlan?, plane index: Int, grid: PlaneGrid, crop: Region,
  into plane: PlaneBuilder, as type: S.Type
) {
  let combiner = CleanOperator<S>(tile: tile, rule: rule, bits: plane.bits)
  let columns = tile.region.columns
  guard let plan else {
    return tile.forEachRow(in: plane, as: S.self) { y, output in
      combiner.write(row: y, columns: 0..<columns.count, sources: .everybody, to: output)
    }
  }
  let membrane = plan.membrane
  var blender = SeamBlender(combiner, floor: membrane.flatMap { $0.isLight[index] ? Membrane.floor : nil })
  var row = JoinedRow(plan, added: membrane?.values[index], columns: columns, grid: grid, crop: crop)
  tile.forEachRow(in: plane, as: S.self) { y, output in
    row.move(to: tile.region.y + y)
    var next = row.segments.startIndex
    while next < row.segments.endIndex {
      let segment = row.segments[next]
      if segment.isPlain {
        combiner.write(
          row: y, columns: segment.columns, sources: plan.sourceSets[Int(segment.corners[0])],
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
