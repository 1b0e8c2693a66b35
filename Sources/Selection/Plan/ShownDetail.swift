import Frames

/// Standard deviations by which the mean over 3x3 pixels of a frame may differ from what was chosen: more may be
/// a faint shadow that nobody else shows.
private let faintest: Float = 3
/// The same of chroma, which shadows hardly change, and which comes out anew with every photo about fine branches and letters,
/// where its few samples happen to fall.
private let faintestChroma: Float = 6

extension Candidates {
  /// Whether the reference shows what a candidate shows in a cell, as `shows` says.
  func referenceShows(_ candidate: Int, cell: Int, _ noise: [ComparedNoise]) -> Bool {
    shows(reference, candidate, cells: cell..<cell + 1, noise)[0]
  }

  /// Whether a frame shows what a candidate shows, all over a cell and one pixel around it: the same shades, so that only
  /// details can differ.
  /// - Parameter cells: neighbours in a row.
  /// - Returns: one for each of the cells.
  func shows(_ frame: Int, _ candidate: Int, cells: Range<Int>, _ noise: [ComparedNoise]) -> [Bool] {
    let (left, top) = grid.origin(of: cells.lowerBound)
    // Two pixels around the cells, of which the outer one only takes part in means.
    let (columns, rows) = (cells.count * CellGrid.side + 4, CellGrid.side + 4)
    func row(_ v: Int) -> Int { min(max(top + v - 2, 0), size.height - 1) }
    let covered = (0..<rows).reduce(0..<Int32(size.width)) { $0.clamped(to: list[frame].coverage[row($1)]) }
    var isSame = [Bool](repeating: true, count: columns)
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: columns * (rows + 1)) { scratch in
      let sums = UnsafeMutableBufferPointer(rebasing: scratch[columns...])
      let line = PaddedLine(start: left - 2, samples: UnsafeMutableBufferPointer(rebasing: scratch[..<columns]))
      for plane in 0..<planeCount {
        let faintest = plane > 0 && hasChroma ? faintestChroma : faintest
        for v in 0..<rows {
          list[frame].planes[plane].withUnsafeRow(row(v), as: UInt8.self) { own in
            list[candidate].planes[plane].withUnsafeRow(row(v), as: UInt8.self) { line.fill(own, minus: $0) }
          }
          line.addThrees(to: UnsafeMutableBufferPointer(rebasing: sums[(v * columns)...].prefix(columns)))
        }
        for v in 1..<rows - 1 {
          list[candidate].planes[0].withUnsafeRow(row(v), as: UInt8.self) { brightness in
            list[candidate].gradient.withUnsafeRow(row(v), as: UInt8.self) { gradient in
              isSame.withUnsafeMutableBufferPointer { isSame in
                let around = UnsafePointer(sums.baseAddress!) + (v - 1) * columns
                line.forEachMiddle(of: brightness.count) { u, x in
                  let sum = Float(around[u] &+ around[columns &+ u] &+ around[2 &* columns &+ u])
                  let variance = noise[plane].variance(brightness: Float(brightness[x]), gradient: Float(gradient[x]))
                  isSame[u] = isSame[u] && sum * sum <= 81 * faintest * faintest * variance
                }
              }
            }
          }
        }
      }
    }
    return (0..<cells.count).map { cell in
      let first = cell * CellGrid.side
      let pixels = max(left + first - 2, 0)...min(left + first + CellGrid.side + 1, size.width - 1)
      return covered.lowerBound <= pixels.lowerBound && covered.upperBound > pixels.upperBound
        && isSame[first + 1...first + CellGrid.side + 2].allSatisfy { $0 }
    }
  }
}

/// Differences along a part of a row that may reach beyond the picture, where its border's go on.
private struct PaddedLine {
  /// The column of the first.
  let start: Int
  let samples: UnsafeMutableBufferPointer<Int16>

  /// The places whose columns lie in a picture.
  private func inside(_ width: Int) -> Range<Int> { max(-start, 0)..<min(width - start, samples.count) }

  func fill(_ own: UnsafeBufferPointer<UInt8>, minus shown: UnsafeBufferPointer<UInt8>) {
    let inside = inside(own.count)
    for u in inside { samples[u] = Int16(own[start &+ u]) &- Int16(shown[start &+ u]) }
    for u in 0..<inside.lowerBound { samples[u] = samples[inside.lowerBound] }
    for u in inside.upperBound..<samples.count { samples[u] = samples[inside.upperBound - 1] }
  }

  /// Sums over three, but for the outermost.
  func addThrees(to sums: UnsafeMutableBufferPointer<Int16>) {
    for u in 1..<samples.count &- 1 { sums[u] = samples[u &- 1] &+ samples[u] &+ samples[u &+ 1] }
  }

  /// Tells of all places but the outermost, and their columns in the picture.
  @inline(__always)
  func forEachMiddle(of width: Int, _ body: (_ u: Int, _ x: Int) -> Void) {
    let inside = inside(width).clamped(to: 1..<samples.count - 1)
    for u in 1..<max(inside.lowerBound, 1) { body(u, 0) }
    for u in inside { body(u, start &+ u) }
    for u in inside.upperBound..<samples.count - 1 { body(u, width - 1) }
  }
}
