import Frames

/// The part of the reference that all of some frames show, in coarse cells.
struct CommonArea: Sendable {
  private let reference: Size
  private let columns: Int
  private let rows: Int
  private var isCommon: [Bool]

  init(reference: Size, frames: [(size: Size, homography: Homography)]) {
    self.reference = reference
    let longer = Double(max(reference.width, reference.height))
    // Small pictures get fewer cells, so that each holds enough pixels of every frame.
    let cells = min(48, longer / 32)
    columns = max(1, Int((cells * Double(reference.width) / longer).rounded()))
    rows = max(1, Int((cells * Double(reference.height) / longer).rounded()))
    isCommon = Array(repeating: true, count: columns * rows)
    for frame in frames {
      guard let back = frame.homography.inverse else { continue }
      for y in 0..<rows {
        for x in 0..<columns where isCommon[y * columns + x] {
          let there = back(middle(of: y * columns + x))
          isCommon[y * columns + x] =
            there.x >= 0 && there.y >= 0 && there.x < Double(frame.size.width) && there.y < Double(frame.size.height)
        }
      }
    }
    // Frames that share nothing are compared as they are.
    if !isCommon.contains(true) { isCommon = isCommon.map { _ in true } }
  }

  var cellCount: Int { isCommon.count }

  /// The middle of a cell, in the reference's pixels.
  func middle(of cell: Int) -> Point {
    let (row, column) = cell.quotientAndRemainder(dividingBy: columns)
    return Point(
      x: (Double(column) + 0.5) / Double(columns) * Double(reference.width) - 0.5,
      y: (Double(row) + 0.5) / Double(rows) * Double(reference.height) - 0.5)
  }

  /// The cell that a reference pixel lies in; nil outside the common area.
  @inline(__always)
  func cell(_ p: Point) -> Int? {
    let x = (p.x + 0.5) / Double(reference.width) * Double(columns)
    let y = (p.y + 0.5) / Double(reference.height) * Double(rows)
    guard x >= 0, y >= 0, x < Double(columns), y < Double(rows) else { return nil }
    let cell = Int(y) * columns + Int(x)
    return isCommon[cell] ? cell : nil
  }
}
