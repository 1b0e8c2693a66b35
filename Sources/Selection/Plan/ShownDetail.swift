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
    var isShown = coversAround(cells, frame: frame)
    // 1 or 0, by column: numbers vectorise.
    var isSame = [UInt8](repeating: 1, count: MeansAround(cells, grid).columns)
    for plane in 0..<planeCount where isShown.contains(true) {
      let faintest = faintest(plane: plane)
      let limit = 81 * faintest * faintest
      isSame.withUnsafeMutableBufferPointer { isSame in
        compareMeans(of: frame, with: candidate, plane: plane, cells: cells, noise) { column, sum, variance in
          isSame[column] &= sum * sum <= limit * variance ? 1 : 0
        }
      }
      for cell in isShown.indices where isShown[cell] {
        let first = cell * CellGrid.side
        isShown[cell] = isSame[first + 1...first + CellGrid.side + 2].allSatisfy { $0 == 1 }
      }
    }
    return isShown
  }

  /// How far a frame departs from the median all over a cell and one pixel around it, 1 being as far as `shows` lets single
  /// pixels: the root of the mean square, of the plane in which it is largest.
  /// - Returns: nil where the frame does not cover that.
  func departure(of frame: Int, cell: Int, _ noise: [ComparedNoise]) -> Float? {
    guard coversAround(cell, frame: frame) else { return nil }
    let cells = cell..<cell + 1
    let largest = (0..<planeCount).reduce(Float(0)) { largest, plane in
      var (total, count): (Float, Float) = (0, 0)
      compareMeans(of: frame, with: median, plane: plane, cells: cells, noise) { _, sum, variance in
        total += sum * sum / variance
        count += 1
      }
      let faintest = faintest(plane: plane)
      return max(largest, total / (81 * faintest * faintest * count))
    }
    return largest.squareRoot()
  }

  /// Whether a frame covers a cell and two pixels around it, as far as the picture reaches.
  func coversAround(_ cell: Int, frame: Int) -> Bool {
    let around = MeansAround(cell..<cell + 1, grid)
    return around.isInside(covered(around, by: frame), cell: 0, width: size.width)
  }

  private func faintest(plane: Int) -> Float { plane > 0 && hasChroma ? faintestChroma : Selection.faintest }

  /// Whether a frame covers each of some cells and two pixels around it, as far as the picture reaches.
  private func coversAround(_ cells: Range<Int>, frame: Int) -> [Bool] {
    let around = MeansAround(cells, grid)
    let covered = covered(around, by: frame)
    return (0..<cells.count).map { around.isInside(covered, cell: $0, width: size.width) }
  }

  /// The columns that a frame covers in all rows.
  private func covered(_ around: MeansAround, by frame: Int) -> Range<Int32> {
    (0..<around.rows).reduce(0..<Int32(size.width)) { covered, v in
      covered.clamped(to: list[frame].coverage[around.row(v)])
    }
  }

  /// Compares a frame's means over 3x3 pixels with a candidate's, all over some cells and one pixel around them; beyond the
  /// picture, its border's samples go on.
  /// - Parameters:
  ///   - cells: neighbours in a row.
  ///   - body: is told, row by row, a pixel's column, counted from two before the cells' first; nine times what the means differ
  ///     by; and the variance of a single pixel's noise.
  @inline(__always)
  private func compareMeans(
    of frame: Int, with candidate: Int, plane: Int, cells: Range<Int>, _ noise: [ComparedNoise],
    _ body: (_ column: Int, _ sum: Float, _ variance: Float) -> Void
  ) {
    let around = MeansAround(cells, grid)
    let (columns, rows) = (around.columns, around.rows)
    let noise = noise[plane]
    withUnsafeTemporaryAllocation(of: Int16.self, capacity: columns * (rows + 1)) { scratch in
      let sums = UnsafeMutableBufferPointer(rebasing: scratch[columns...])
      let line = PaddedLine(
        start: around.left, width: size.width, samples: UnsafeMutableBufferPointer(rebasing: scratch[..<columns]))
      list[frame].planes[plane].withUnsafeSamples { own in
        list[candidate].planes[plane].withUnsafeSamples { shown in
          for v in 0..<rows {
            line.fill(own(around.row(v)), minus: shown(around.row(v)))
            line.addThrees(to: UnsafeMutableBufferPointer(rebasing: sums[(v * columns)...].prefix(columns)))
          }
        }
      }
      list[candidate].planes[0].withUnsafeSamples { brightness in
        list[candidate].gradient.withUnsafeSamples { gradient in
          for v in 1..<rows - 1 {
            let first = UnsafePointer(sums.baseAddress!) + (v - 1) * columns
            let (brightness, gradient) = (brightness(around.row(v)), gradient(around.row(v)))
            line.forEachMiddle { u, x in
              let sum = Float(first[u] &+ first[columns &+ u] &+ first[2 &* columns &+ u])
              body(u, sum, noise.variance(brightness: Float(brightness[x]), gradient: Float(gradient[x])))
            }
          }
        }
      }
    }
  }
}

/// What means about cells in a row are made of: the cells and two pixels around them, of which the outer one only takes part
/// in the means.
private struct MeansAround {
  /// Of the first pixel; may lie beyond the picture.
  let left: Int
  private let top: Int
  let columns: Int
  let rows = CellGrid.side + 4
  /// Of the picture.
  private let height: Int

  init(_ cells: Range<Int>, _ grid: CellGrid) {
    let origin = grid.origin(of: cells.lowerBound)
    (left, top) = (origin.x - 2, origin.y - 2)
    columns = cells.count * CellGrid.side + 4
    height = grid.pictureSize.height
  }

  /// Whether one of the cells and two pixels around it lie within some columns, as far as the picture reaches.
  func isInside(_ covered: Range<Int32>, cell: Int, width: Int) -> Bool {
    let first = left + cell * CellGrid.side
    return covered.lowerBound <= max(first, 0) && covered.upperBound > min(first + CellGrid.side + 3, width - 1)
  }

  /// The picture's row that stands for one of these: its border's beyond it.
  @inline(__always)
  func row(_ v: Int) -> Int { min(max(top + v, 0), height - 1) }
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
