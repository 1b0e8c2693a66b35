import Frames

/// Standard deviations by which the mean over 3x3 pixels of the reference may differ from what was chosen: more may be
/// a faint shadow that nobody else shows.
private let faintest: Float = 3

extension Candidates {
  /// Whether the reference shows what a candidate shows, all over a cell and one pixel around it: the same shades, so
  /// that only details can differ.
  func referenceShows(_ candidate: Int, cell: Int, _ noise: [ComparedNoise]) -> Bool {
    let (left, top) = grid.origin(of: cell)
    // Two pixels around the cell, of which the outer one only takes part in means.
    let columns = (left - 2..<left + CellGrid.side + 2)
    let rows = (top - 2..<top + CellGrid.side + 2)
    let (lastX, lastY) = (size.width - 1, size.height - 1)
    let (own, shown) = (list[reference], list[candidate])
    for y in max(rows.lowerBound, 0)...min(rows.upperBound - 1, lastY) {
      let covered = own.coverage[y]
      guard covered.lowerBound <= max(columns.lowerBound, 0), covered.upperBound > min(columns.upperBound - 1, lastX)
      else { return false }
    }
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: columns.count * (rows.count + 1)) { scratch in
      let (sums, difference) = (scratch.baseAddress!, scratch.baseAddress! + columns.count * rows.count)
      for plane in 0..<planeCount {
        for (v, row) in rows.enumerated() {
          let y = min(max(row, 0), lastY)
          own.planes[plane].withUnsafeRow(y, as: UInt8.self) { own in
            shown.planes[plane].withUnsafeRow(y, as: UInt8.self) { shown in
              for (u, column) in columns.enumerated() {
                let x = min(max(column, 0), lastX)
                difference[u] = Int32(own[x]) - Int32(shown[x])
              }
            }
          }
          for u in 1..<columns.count - 1 {
            sums[v * columns.count + u] = difference[u - 1] + difference[u] + difference[u + 1]
          }
        }
        for v in 1..<rows.count - 1 {
          let y = min(max(top - 2 + v, 0), lastY)
          let isSame = shown.planes[0].withUnsafeRow(y, as: UInt8.self) { brightness in
            shown.gradient.withUnsafeRow(y, as: UInt8.self) { gradient in
              (1..<columns.count - 1).allSatisfy { u in
                let x = min(max(left - 2 + u, 0), lastX)
                let (above, here) = (sums + (v - 1) * columns.count, sums + v * columns.count)
                let sum = Float(above[u] + here[u] + here[columns.count + u])
                let variance = noise[plane].variance(brightness: Float(brightness[x]), gradient: Float(gradient[x]))
                return sum * sum <= 81 * faintest * faintest * variance
              }
            }
          }
          guard isSame else { return false }
        }
      }
      return true
    }
  }
}
