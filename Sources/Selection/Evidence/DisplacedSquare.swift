import Frames

/// Some of four cells, in which the reference departs from the median. They are looked for together, since patches reach beyond
/// a cell in any case.
struct DisplacedSquare: Sendable {
  let cells: [Int]
  /// The first pixel of the four.
  private let origin: (x: Int, y: Int)
  /// Those of the cells at which the reference departs from the median, and nobody may be seen in it, row by row.
  private let pixels: UInt64

  private static let side = DisplacedPatches.side
  /// Of the pixels, that a frame must show displaced.
  private static let leastShown = 1.0 / 3
  /// One frame in so many may show something else: whoever walks by stands before the thing.
  private static let excused = 5
  /// Frames beside the reference that must show a place at least: two are often alike by chance.
  private static let fewestFrames = 3
  /// Squares to each side of one of which half must be displaced as it is.
  private static let reach = 4

  /// Those that hold the cells of a mask, row by row.
  static func all(
    holding mask: RegionMask, of candidates: Candidates, _ agreement: Agreement, _ detections: Detections?
  ) -> [DisplacedSquare] {
    let grid = candidates.grid
    let cells = side / CellGrid.side
    return stride(from: 0, to: grid.rows, by: cells).flatMap { row in
      stride(from: 0, to: grid.columns, by: cells).compactMap { column in
        let four = Region(x: column, y: row, width: cells, height: cells).intersection(grid.size.bounds)
        let some = four.rows.flatMap { y in four.columns.map { y * grid.columns + $0 } }.filter { mask.isSet[$0] }
        return some.isEmpty
          ? nil
          : DisplacedSquare(
            some, origin: grid.origin(of: row * grid.columns + column), candidates, agreement, detections)
      }
    }
  }

  private init(
    _ cells: [Int], origin: (x: Int, y: Int), _ candidates: Candidates, _ agreement: Agreement,
    _ detections: Detections?
  ) {
    (self.cells, self.origin) = (cells, origin)
    pixels = cells.reduce(into: 0) { pixels, cell in
      guard let k = agreement.cells.position(of: cell),
        detections?.isSeen(in: candidates.reference, cell, of: candidates.grid) != true
      else { return }
      let departing = UInt64(agreement.departing(of: candidates, contested: k))
      let (left, top) = candidates.grid.origin(of: cell)
      for y in 0..<CellGrid.side {
        let row = departing >> UInt64(y * CellGrid.side) & (1 << UInt64(CellGrid.side) - 1)
        pixels |= row << UInt64((top - origin.y + y) * Self.side + left - origin.x)
      }
    }
  }

  /// Whether nearly every frame shows its pixels, displaced.
  func isShown(displaced search: DisplacedPatches) -> Bool {
    guard let (sought, frames) = sought(search) else { return false }
    var missing = 0
    return frames.allSatisfy { frame in
      let shown = search.pixels(of: pixels, in: sought, shownBy: frame)
      if !isEnough(shown) { missing += 1 }
      return Self.isExcused(missing, of: frames.count)
    }
  }

  /// By frame beside the reference and by displacement, whether the frame shows its pixels there; nothing of a frame that does
  /// not show the place.
  func displacements(_ search: DisplacedPatches) -> [[Bool]] {
    guard let (sought, frames) = sought(search) else { return [] }
    return search.others.map { frame in
      frames.contains(frame) ? search.byDisplacement(pixels, in: sought, shownBy: frame).map(isEnough) : []
    }
  }

  /// Those that nearly every frame shows displaced as half of the squares around are: a thing moves as one, and people who stay,
  /// clouds and leaves are found here and there.
  /// - Parameter displacements: of each square.
  static func movingAlike(_ squares: [DisplacedSquare], _ displacements: [[[Bool]]]) -> [DisplacedSquare] {
    squares.indices.filter { index in
      let around = squares.indices.filter { squares[$0].isNear(squares[index]) }
      let own = displacements[index]
      let isAlone = own.indices.filter { !own[$0].isEmpty }.map { frame in
        let others = around.map { displacements[$0][frame] }.filter { !$0.isEmpty }
        return !own[frame].indices.contains { shift in
          own[frame][shift] && 2 * others.count { $0[shift] } >= others.count
        }
      }
      return isExcused(isAlone.count { $0 }, of: isAlone.count)
    }.map { squares[$0] }
  }

  private func isNear(_ other: DisplacedSquare) -> Bool {
    let most = Self.reach * Self.side
    return abs(origin.x - other.origin.x) <= most && abs(origin.y - other.origin.y) <= most
  }

  private func isEnough(_ shown: UInt64) -> Bool {
    Double(shown.nonzeroBitCount) >= Self.leastShown * Double(pixels.nonzeroBitCount)
  }

  private static func isExcused(_ missing: Int, of frames: Int) -> Bool { excused * missing <= frames }

  /// What is looked for in which frames; nil where there is nothing, or too few frames show the place.
  private func sought(_ search: DisplacedPatches) -> (sought: DisplacedPatches.Sought, frames: [Int])? {
    guard pixels != 0 else { return nil }
    let still = search.others.map { search.still(around: origin, in: $0) }
    let frames = zip(search.others, still).filter { $1 != nil }.map(\.0)
    guard frames.count >= Self.fewestFrames, Self.isExcused(still.count - frames.count, of: still.count) else {
      return nil
    }
    // What looks the same in most frames where it is stands no nearer than the rest.
    return (search.sought(around: origin, butFor: still.compactMap { $0 }), frames)
  }
}

extension Agreement {
  /// The pixels of the contested cell `k` at which the reference departs from the median, a bit each, row by row.
  func departing(of candidates: Candidates, contested k: Int) -> UInt16 {
    var departing: UInt16 = 0
    for y in 0..<CellGrid.side {
      for x in 0..<CellGrid.side
      where sets(contested: k, x: x, y: y)[candidates.reference].other.contains(candidates.median) {
        departing |= 1 << UInt16(y * CellGrid.side + x)
      }
    }
    return departing
  }
}

extension Detections {
  /// Whether somebody may be seen anywhere in a cell of a frame.
  fileprivate func isSeen(in frame: Int, _ cell: Int, of grid: CellGrid) -> Bool {
    let pixels = grid.pixels(of: cell)
    return pixels.rows.contains { y in
      pixels.columns.contains { mean(over: CandidateSet(only: frame), x: $0, y: y) > 0 }
    }
  }
}
