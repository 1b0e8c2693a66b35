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
    var isShown = cells.indices.map { cell in
      let first = left + (cell - cells.lowerBound) * CellGrid.side
      return covered.lowerBound <= max(first - 2, 0)
        && covered.upperBound > min(first + CellGrid.side + 1, size.width - 1)
    }
    // 1 or 0, by column: numbers vectorise.
    var isSame = [UInt8](repeating: 1, count: columns)
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: columns * (rows + 1)) { scratch in
      let sums = UnsafeMutableBufferPointer(rebasing: scratch[columns...])
      let line = PaddedLine(
        start: left - 2, width: size.width, samples: UnsafeMutableBufferPointer(rebasing: scratch[..<columns]))
      for plane in 0..<planeCount where isShown.contains(true) {
        let faintest = plane > 0 && hasChroma ? faintestChroma : faintest
        let (limit, noise) = (81 * faintest * faintest, noise[plane])
        list[frame].planes[plane].withUnsafeSamples { own in
          list[candidate].planes[plane].withUnsafeSamples { shown in
            for v in 0..<rows {
              line.fill(own(row(v)), minus: shown(row(v)))
              line.addThrees(to: UnsafeMutableBufferPointer(rebasing: sums[(v * columns)...].prefix(columns)))
            }
          }
        }
        list[candidate].planes[0].withUnsafeSamples { brightness in
          list[candidate].gradient.withUnsafeSamples { gradient in
            isSame.withUnsafeMutableBufferPointer { isSame in
              for v in 1..<rows - 1 {
                let around = UnsafePointer(sums.baseAddress!) + (v - 1) * columns
                let (brightness, gradient) = (brightness(row(v)), gradient(row(v)))
                line.forEachMiddle { u, x in
                  let sum = Float(around[u] &+ around[columns &+ u] &+ around[2 &* columns &+ u])
                  let variance = noise.variance(brightness: Float(brightness[x]), gradient: Float(gradient[x]))
                  isSame[u] &= sum * sum <= limit * variance ? 1 : 0
                }
              }
            }
          }
        }
        for cell in isShown.indices where isShown[cell] {
          let first = cell * CellGrid.side
          isShown[cell] = isSame[first + 1...first + CellGrid.side + 2].allSatisfy { $0 == 1 }
        }
      }
    }
    return isShown
  }
}

extension Plane {
  /// Gives `body` what tells where a row of bytes begins, valid while it runs.
  @inline(__always)
  fileprivate func withUnsafeSamples(_ body: ((_ y: Int) -> UnsafePointer<UInt8>) -> Void) {
    withUnsafeBytes { base in body { y in (base + y &* stride).assumingMemoryBound(to: UInt8.self) } }
  }
}

/// Differences along a part of a row that may reach beyond the picture, where its border's go on.
private struct PaddedLine {
  /// The column of the first.
  let start: Int
  /// The picture's.
  let width: Int
  let samples: UnsafeMutableBufferPointer<Int16>

  /// The places whose columns lie in the picture.
  private var inside: Range<Int> { max(-start, 0)..<min(width - start, samples.count) }

  @inline(__always)
  func fill(_ own: UnsafePointer<UInt8>, minus shown: UnsafePointer<UInt8>) {
    let inside = inside
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
  func forEachMiddle(_ body: (_ u: Int, _ x: Int) -> Void) {
    let inside = inside.clamped(to: 1..<samples.count - 1)
    for u in 1..<max(inside.lowerBound, 1) { body(u, 0) }
    for u in inside { body(u, start &+ u) }
    for u in inside.upperBound..<samples.count - 1 { body(u, width - 1) }
  }
}
