package import Frames

/// The part of the reference that one frame shows.
package struct Footprint: Sendable {
  private let toFrame: Homography
  private let mesh: ResidualMesh?
  private let size: Size
  /// A frame pixel counts as shown only this far inside the frame's outline, in frame pixels, so that rounding
  /// in the warp cannot lose it again.
  private let margin: Double

  /// - Parameters:
  ///   - alignment: with an invertible homography.
  ///   - frameSize: of the frame, in pixels.
  package init?(alignment: Alignment, frameSize: Size) {
    guard let inverse = alignment.homography.inverse else { return nil }
    toFrame = inverse
    mesh = alignment.mesh
    size = frameSize
    margin = alignment.mesh == nil && alignment.homography == .identity ? 0 : 0.05
  }

  /// The frame's pixel that a reference pixel shows.
  package func framePoint(_ p: Point) -> Point {
    guard let mesh else { return toFrame(p) }
    let shift = mesh(p)
    return toFrame(Point(x: p.x + shift.x, y: p.y + shift.y))
  }

  /// Whether the frame shows the reference pixel.
  package func covers(_ p: Point) -> Bool {
    // A point on the camera's horizon or behind it maps to a pixel that the camera cannot see.
    guard toFrame.depth(at: p) > 0 else { return false }
    let q = framePoint(p)
    let low = -0.5 + margin
    return q.x >= low && q.y >= low && q.x <= Double(size.width) - 0.5 - margin
      && q.y <= Double(size.height) - 0.5 - margin
  }

  /// The columns of a reference row that the frame shows: one range, since coverage is convex.
  package func coveredColumns(row: Int, width: Int) -> Range<Int> {
    let y = Double(row)
    func covered(_ x: Int) -> Bool { covers(Point(x: Double(x), y: y)) }
    guard let inside = seed(covered, width: width) else { return 0..<0 }
    let left = boundary(outside: -1, inside: inside, covered)
    let right = boundary(outside: width, inside: inside, covered)
    return left..<right + 1
  }

  /// Some covered column, tried on ever finer grids from the middle of the row.
  private func seed(_ covered: (Int) -> Bool, width: Int) -> Int? {
    var step = max(1, width / 2)
    while true {
      var x = step / 2
      while x < width {
        if covered(x) { return x }
        x += step
      }
      for x in [0, width - 1] where covered(x) { return x }
      if step <= max(1, width / 64) { return nil }
      step /= 2
    }
  }

  /// The covered column next to the outline between a column outside and one inside, by bisection.
  private func boundary(outside: Int, inside: Int, _ covered: (Int) -> Bool) -> Int {
    var (outside, inside) = (outside, inside)
    while abs(inside - outside) > 1 {
      let middle = (inside + outside) / 2
      if covered(middle) { inside = middle } else { outside = middle }
    }
    return inside
  }
}
