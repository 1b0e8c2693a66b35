import Frames

/// By how much what two neighbouring cells show differs where they meet, as far as it is the same thing in other light.
struct SeamSteps: Sendable {
  let candidates: Candidates
  /// What the candidates' colours were levelled by.
  let levelling: ColourFields
  /// What full-size samples are levelled by.
  let fields: ColourFields

  /// Pixels to either side of the seam in which the pictures are compared.
  private static let reach = 3
  /// Levels by which the same thing may differ in other light.
  private static let most: Float = 24
  /// Levels, and a share of the step, by which pixels may deviate from the step: more, and the pictures show different
  /// things.
  private static let uneven: (levels: Float, share: Float) = (3, 0.25)
  /// Levels that joins hide; where somebody has just left a place, the median differs as much.
  private static let faint: Float = 3

  /// - Parameters:
  ///   - first: the candidate that a cell follows.
  ///   - second: another, which the cell beyond the seam follows.
  ///   - direction: where the seam lies, to the right or below.
  /// - Returns: one per plane: what the second picture has more than the first, as a share of their light (counted from
  ///   `Membrane.floor` below black), also for chroma, which light makes stronger. Nil where the pictures show different
  ///   things, or not enough of them.
  func step(from first: Int, to second: Int, beside cell: Int, _ direction: Direction) -> [Float]? {
    let (a, b) = (candidates.list[first], candidates.list[second])
    let (columns, rows) = pixels(beside: cell, direction)
    let span = Int32(columns.lowerBound)..<Int32(columns.upperBound)
    guard columns.upperBound <= candidates.size.width, rows.upperBound <= candidates.size.height,
      rows.allSatisfy({ a.coverage[$0].contains(span) && b.coverage[$0].contains(span) })
    else { return nil }
    // Of what is clipped nobody knows what it differs by.
    guard !a.isClipped(columns, rows), !b.isClipped(columns, rows) else { return nil }
    let count = Float(columns.count * rows.count)
    let centre = (
      x: Float(columns.lowerBound + columns.upperBound - 1) / 2, y: Float(rows.lowerBound + rows.upperBound - 1) / 2
    )
    var light: Float = 0
    var result: [Float] = []
    for plane in a.planes.indices {
      var (sum, squares, both) = (0, 0, 0)
      for y in rows {
        a.planes[plane].withUnsafeRow(y, as: UInt8.self) { a in
          b.planes[plane].withUnsafeRow(y, as: UInt8.self) { b in
            for x in columns {
              let difference = Int(b[x]) - Int(a[x])
              sum += difference
              squares += difference * difference
              both += Int(a[x]) + Int(b[x])
            }
          }
        }
      }
      let mean = Float(sum) / count
      let deviation = max(Float(squares) / count - mean * mean, 0).squareRoot()
      func missing(_ candidate: Int) -> Float {
        fields.value(of: candidate, plane: plane, x: centre.x, y: centre.y)
          - levelling.value(of: candidate, plane: plane, x: centre.x, y: centre.y)
      }
      let step = mean + missing(second) - missing(first)
      guard abs(step) <= Self.most, deviation <= Self.uneven.levels + Self.uneven.share * abs(step) else { return nil }
      if plane == 0 || !candidates.hasChroma { light = Float(both) / (2 * count) }
      result.append((step - min(max(step, -Self.faint), Self.faint)) / (light + Membrane.floor))
    }
    return result
  }

  /// What lies about the seam.
  private func pixels(beside cell: Int, _ direction: Direction) -> (columns: Range<Int>, rows: Range<Int>) {
    let (left, top) = candidates.grid.origin(of: cell)
    let (right, bottom) = (left + CellGrid.side, top + CellGrid.side)
    return direction == .right
      ? (right - Self.reach..<right + Self.reach, top..<bottom)
      : (left..<right, bottom - Self.reach..<bottom + Self.reach)
  }
}

extension Candidate {
  /// Whether half of some pixels may be clipped, in a colour at least.
  fileprivate func isClipped(_ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
    guard let clipped else { return false }
    let count = rows.reduce(0) { sum, y in
      clipped.withUnsafeRow(y, as: UInt8.self) { row in columns.reduce(sum) { $0 + (row[$1] > 0 ? 1 : 0) } }
    }
    return 2 * count >= columns.count * rows.count
  }
}
