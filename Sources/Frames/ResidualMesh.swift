/// A smooth displacement field over the reference frame that follows a homography: what parallax on near
/// ground and a rolling shutter leave.
///
/// A reference pixel p shows the frame's pixel H^-1 (p + mesh(p)), where mesh is bilinear between nodes. Node
/// (i, j) sits at reference luma pixel (i * (width - 1) / (columns - 1), j * (height - 1) / (rows - 1)).
public struct ResidualMesh: Sendable, Hashable {
  /// Nodes per row, at least 2.
  public let columns: Int
  /// Rows of nodes, at least 2.
  public let rows: Int
  /// The reference's size.
  public let size: Size
  /// Displacements in reference pixels, row by row.
  public let dx: [Float]
  public let dy: [Float]

  public init(columns: Int, rows: Int, size: Size, dx: [Float], dy: [Float]) {
    precondition(columns >= 2 && rows >= 2 && dx.count == columns * rows && dy.count == columns * rows)
    self.columns = columns
    self.rows = rows
    self.size = size
    self.dx = dx
    self.dy = dy
  }

  /// The displacement at a reference pixel; outside the reference, that of the nearest border point.
  public func callAsFunction(_ p: Point) -> Point {
    let (i, u) = cell(p.x, extent: size.width, nodes: columns)
    let (j, v) = cell(p.y, extent: size.height, nodes: rows)
    func blend(_ values: [Float]) -> Double {
      let top = Double(values[j * columns + i]) * (1 - u) + Double(values[j * columns + i + 1]) * u
      let bottom = Double(values[(j + 1) * columns + i]) * (1 - u) + Double(values[(j + 1) * columns + i + 1]) * u
      return top * (1 - v) + bottom * v
    }
    return Point(x: blend(dx), y: blend(dy))
  }

  private func cell(_ position: Double, extent: Int, nodes: Int) -> (Int, Double) {
    guard extent > 1 else { return (0, 0) }
    let t = min(max(position, 0), Double(extent - 1)) * Double(nodes - 1) / Double(extent - 1)
    let index = min(Int(t), nodes - 2)
    return (index, t - Double(index))
  }
}
