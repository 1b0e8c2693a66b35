/// A smooth displacement field over the reference frame that follows a homography: what parallax on near
/// ground and a rolling shutter leave.
///
/// A reference pixel p shows the frame's pixel H^-1 (p + mesh(p)).
public struct ResidualMesh: Sendable, Hashable {
  /// Displacements in reference pixels.
  public let dx: SmoothField
  /// The same nodes.
  public let dy: SmoothField

  /// - Parameters:
  ///   - columns: nodes per row, at least 2.
  ///   - rows: rows of nodes, at least 2.
  ///   - size: the reference's.
  ///   - dx: displacements to the right in reference pixels, row by row.
  ///   - dy: downwards, likewise.
  package init(columns: Int, rows: Int, size: Size, dx: [Float], dy: [Float]) {
    self.dx = SmoothField(columns: columns, rows: rows, size: size, values: dx)
    self.dy = SmoothField(columns: columns, rows: rows, size: size, values: dy)
  }

  /// The displacement at a reference pixel; outside the reference, that of the nearest border point.
  public func callAsFunction(_ p: Point) -> Point { Point(x: dx(p), y: dy(p)) }
}
