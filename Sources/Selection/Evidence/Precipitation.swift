import Frames

/// Rain or snow: streaks and flakes that hide a place in one frame and hardly ever in two (Garg, Nayar, "Detection and removal of
/// rain from videos", CVPR 2004), so that the others are right wherever a frame departs from most. It does where a twig sways as
/// well, whose details are as true as any; but twigs are somewhere, and it rains all over the picture.
struct Precipitation: Sendable {
  private let candidates: Candidates
  private let noise: [ComparedNoise]

  /// Cells along the side of a block: in all but a quarter of them, every frame must depart somewhere.
  private static let block = 12
  /// Of a block's cells, the share in which it must.
  private static let leastDeparting = 0.01
  /// Of fewer frames, too many may show a streak at one place.
  private static let leastFrames = 4
  /// Standard deviations from the median at which a single pixel stands out, and within which others are as it is.
  private static let (standingOut, alike): (Float, Float) = (4, 3)
  /// Of the others, the share that must be as the median is where a frame stands out.
  private static let leastAlike = 0.5

  /// - Returns: nil where it neither rains nor snows, or too few frames can tell.
  init?(of candidates: Candidates, _ noise: [ComparedNoise], _ departures: Departures) {
    (self.candidates, self.noise) = (candidates, noise)
    guard candidates.frameCount >= Self.leastFrames else { return nil }
    // A crowd may be all over some frames; rain falls in all of them.
    let isFalling = (0..<candidates.frameCount).allSatisfy {
      departures.share(of: $0, in: candidates, block: Self.block) >= Self.leastDeparting
    }
    guard isFalling else { return nil }
  }

  /// Whether a frame shows a streak or a flake in a cell.
  func isShown(by frame: Int, in cell: Int) -> Bool {
    let others = (0..<candidates.frameCount).filter { $0 != frame && candidates.coversAround(cell, frame: $0) }
    guard others.count >= Self.leastFrames - 1 else { return false }
    let median = candidates.list[candidates.median]
    let pixels = candidates.grid.pixels(of: cell)
    return pixels.rows.contains { y in
      pixels.columns.contains { x in
        let (brightness, gradient) = (Float(median.planes[0][x, y]), Float(median.gradient[x, y]))
        return (0..<candidates.planeCount).contains { plane in
          let deviation = noise[plane].variance(brightness: brightness, gradient: gradient).squareRoot()
          func distance(_ frame: Int) -> Float {
            Float(abs(candidates.list[frame].planes[plane][x, y] - median.planes[plane][x, y])) / deviation
          }
          return distance(frame) > Self.standingOut
            && Double(others.count { distance($0) <= Self.alike }) >= Self.leastAlike * Double(others.count)
        }
      }
    }
  }
}

extension Candidates {
  /// Whether a frame shows what the median does, as `shows` says, and no streak or flake.
  /// - Parameters:
  ///   - cells: neighbours in a row.
  ///   - precipitation: who shows streaks or flakes; nil where there are none.
  /// - Returns: one for each of the cells.
  func showsMedian(
    _ frame: Int, cells: Range<Int>, _ noise: [ComparedNoise], but precipitation: Precipitation?
  ) -> [Bool] {
    let isShown = shows(frame, median, cells: cells, noise)
    guard let precipitation else { return isShown }
    return zip(cells, isShown).map { cell, isShown in isShown && !precipitation.isShown(by: frame, in: cell) }
  }
}

extension Departures {
  /// The share of the cells in which a frame departs: of those blocks of cells that it covers, a quarter has less.
  /// - Parameter block: cells along a block's side.
  fileprivate func share(of frame: Int, in candidates: Candidates, block: Int) -> Double {
    let grid = candidates.grid
    var shares: [Double] = []
    for top in stride(from: 0, through: grid.rows - block, by: block) {
      for left in stride(from: 0, through: grid.columns - block, by: block) {
        let columns = left * CellGrid.side..<(left + block) * CellGrid.side
        let isCovered = (top..<top + block).allSatisfy { row in
          candidates.covers(columns, y: row * CellGrid.side, frame: frame)
        }
        guard isCovered else { continue }
        let count = (top..<top + block).reduce(0) { count, row in
          count + (left..<left + block).count { departing[row * grid.columns + $0].contains(frame) }
        }
        shares.append(Double(count) / Double(block * block))
      }
    }
    shares.sort()
    return shares.isEmpty ? 0 : shares[(shares.count - 1) / 4]
  }
}
