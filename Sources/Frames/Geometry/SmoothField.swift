/// Numbers that change slowly over the reference frame, bilinear between nodes.
///
/// Node (i, j) sits at reference luma pixel (i * (width - 1) / (columns - 1), j * (height - 1) / (rows - 1)).
public struct SmoothField: Sendable, Hashable {
  /// Nodes per row, at least 2.
  public let columns: Int
  /// Rows of nodes, at least 2.
  public let rows: Int
  /// The reference's size.
  public let size: Size
  /// Row by row.
  public let values: [Float]

  /// A field of `columns * rows` nodes, both at least 2, over a reference of `size`.
  package init(columns: Int, rows: Int, size: Size, values: [Float]) {
    precondition(columns >= 2 && rows >= 2 && values.count == columns * rows)
    self.columns = columns
    self.rows = rows
    self.size = size
    self.values = values
  }

  /// What a function says at each node.
  package init(columns: Int, rows: Int, size: Size, at value: (Point) -> Float) {
    let (right, bottom) = (Double(size.width - 1), Double(size.height - 1))
    let values = (0..<columns * rows).map { node in
      value(
        Point(
          x: Double(node % columns) / Double(columns - 1) * right, y: Double(node / columns) / Double(rows - 1) * bottom
        ))
    }
    self.init(columns: columns, rows: rows, size: size, values: values)
  }

  /// The same nodes with other numbers.
  package func map(_ transform: (Float) -> Float) -> SmoothField {
    SmoothField(columns: columns, rows: rows, size: size, values: values.map(transform))
  }

  /// The number at a reference pixel; outside the reference, that of the nearest border point.
  public func callAsFunction(_ p: Point) -> Double { value(at: spot(at: p)) }

  /// The largest number of the nodes that matter to some pixels of the reference.
  package func largest(in part: Region) -> Float {
    let (first, last) = (
      spot(at: Point(x: Double(part.x), y: Double(part.y))),
      spot(at: Point(x: Double(part.maxX - 1), y: Double(part.maxY - 1)))
    )
    var largest = -Float.infinity
    for row in first.row...last.row + 1 {
      for column in first.column...last.column + 1 { largest = max(largest, values[row * columns + column]) }
    }
    return largest
  }

  /// Where a pixel lies among the nodes of any field with as many.
  package struct Spot: Sendable {
    /// The node above it to the left.
    fileprivate var column: Int
    fileprivate var row: Int
    /// From there, in steps between nodes.
    fileprivate var right: Double
    fileprivate var down: Double
  }

  @inline(__always)
  package func spot(at p: Point) -> Spot {
    let (i, u) = place(p.x, extent: size.width, nodes: columns)
    let (j, v) = place(p.y, extent: size.height, nodes: rows)
    return Spot(column: i, row: j, right: u, down: v)
  }

  @inline(__always)
  package func value(at spot: Spot) -> Double {
    let (i, j, u, v) = (spot.column, spot.row, spot.right, spot.down)
    let (above, below) = (j * columns + i, (j + 1) * columns + i)
    let top = Double(values[above]) * (1 - u) + Double(values[above + 1]) * u
    let bottom = Double(values[below]) * (1 - u) + Double(values[below + 1]) * u
    return top * (1 - v) + bottom * v
  }

  /// Pixels of a row, from one to the next, among the nodes of any field with as many columns.
  package struct Columns: Sendable {
    /// The node to the left of each.
    fileprivate let left: [Int]
    /// From there, in steps between nodes.
    fileprivate let right: [Float]
  }

  /// - Parameters:
  ///   - x: the first pixel's abscissa; may lie beyond the border.
  ///   - step: pixels from one to the next.
  package func columns(from x: Double, step: Double, count: Int) -> Columns {
    let places = (0..<count).map { place(x + step * Double($0), extent: size.width, nodes: columns) }
    return Columns(left: places.map(\.0), right: places.map { Float($0.1) })
  }

  /// Writes the numbers at pixels of a row.
  package func write(row y: Double, _ pixels: Columns, into numbers: inout [Float]) {
    guard let first = pixels.left.first, let last = pixels.left.last else { return }
    let (j, down) = place(y, extent: size.height, nodes: rows)
    let share = Float(down)
    let (above, below) = (j * columns + first, (j + 1) * columns + first)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: last + 2 - first) { line in
      for node in line.indices {
        line.initializeElement(
          at: node, to: values[above + node] + (values[below + node] - values[above + node]) * share)
      }
      for index in numbers.indices {
        let node = pixels.left[index] - first
        numbers[index] = line[node] + (line[node + 1] - line[node]) * pixels.right[index]
      }
    }
  }

  private func place(_ position: Double, extent: Int, nodes: Int) -> (Int, Double) {
    guard extent > 1 else { return (0, 0) }
    // Written so that what is no number lies at the border.
    let inside = position > 0 ? min(position, Double(extent - 1)) : 0
    let t = inside * Double(nodes - 1) / Double(extent - 1)
    let index = min(Int(t), nodes - 2)
    return (index, t - Double(index))
  }
}
