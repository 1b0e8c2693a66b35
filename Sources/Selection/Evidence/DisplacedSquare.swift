import Frames

/// Some of four cells, in which the reference departs from the median. They are looked for together, since patches reach beyond
/// a cell in any case.
struct DisplacedSquare: Sendable {
  let cells: [Int]
  /// The first pixel of the four.
  private let origin: (x: Int, y: Int)
  /// Those of the cells at which the reference departs from the median, and nobody may be seen in it, row by row.
  private let pixels: UInt64
  /// The frames beside the reference that show the place.
  private let frames: CandidateSet
  /// The patches that tell something.
  private let patches: DisplacedPatches.Found

  private static let side = DisplacedPatches.side
  /// Of the pixels, that a frame must show displaced.
  private static let leastShown = 1.0 / 3
  /// Frames beside the reference that must show a place at least: two are often alike by chance.
  private static let fewestFrames = 3

  /// Those that hold some cells, row by row, of which frames can tell something.
  /// - Parameter departing: by cell, the pixels at which the reference departs from the median, a bit each, row by row.
  static func all(
    holding cells: [Int], of candidates: Candidates, departing: [UInt16], _ detections: Detections?,
    _ search: DisplacedPatches
  ) -> [DisplacedSquare] {
    let grid = candidates.grid
    let side = side / CellGrid.side
    func first(of cell: Int) -> Int {
      grid.row(of: cell) / side * side * grid.columns + grid.column(of: cell) / side * side
    }
    return Dictionary(grouping: cells, by: first).sorted { $0.key < $1.key }.compactMap { first, some in
      DisplacedSquare(some, origin: grid.origin(of: first), candidates, departing, detections, search)
    }
  }

  private init?(
    _ cells: [Int], origin: (x: Int, y: Int), _ candidates: Candidates, _ departing: [UInt16],
    _ detections: Detections?, _ search: DisplacedPatches
  ) {
    (self.cells, self.origin) = (cells, origin)
    pixels = cells.reduce(into: 0) { pixels, cell in
      guard detections?.isSeen(in: candidates.reference, cell, of: candidates.grid) != true else { return }
      let (left, top) = candidates.grid.origin(of: cell)
      for y in 0..<CellGrid.side {
        let row = departing[cell] >> UInt16(y * CellGrid.side) & (1 << UInt16(CellGrid.side) - 1)
        pixels |= UInt64(row) << UInt64((top - origin.y + y) * Self.side + left - origin.x)
      }
    }
    guard pixels != 0 else { return nil }
    let still = search.others.map { search.still(around: origin, in: $0) }
    let showing = zip(search.others, still).filter { $1 != nil }.map(\.0)
    guard showing.count >= Self.fewestFrames, ThingMotion.isExcused(still.count - showing.count, of: still.count) else {
      return nil
    }
    frames = showing.reduce(0) { $0 | CandidateSet(only: $1) }
    // What looks the same in most frames where it is stands no nearer than the rest.
    patches = search.patches(butFor: still.compactMap { $0 })
  }

  /// What is looked for under some displacements.
  func sought(displacedBy displacements: [DisplacedPatches.Displacement], _ search: DisplacedPatches)
    -> DisplacedPatches.Sought
  {
    search.sought(patches, around: origin, displacedBy: displacements)
  }

  /// Whether a frame shows the square, by displacement; nil where it does not show the place.
  func isShown(by frame: Int, _ sought: DisplacedPatches.Sought, _ search: DisplacedPatches) -> [Bool]? {
    frames.contains(frame) ? search.pixels(pixels, of: sought, in: frame).map(isEnough) : nil
  }

  /// Whether a frame shows the square under some displacements, each part of it under one of them; nil where it does not show
  /// the place.
  func isShown(by frame: Int, displacedBy displacements: [DisplacedPatches.Displacement], _ search: DisplacedPatches)
    -> Bool?
  {
    guard frames.contains(frame), displacements.allSatisfy({ search.shows(origin, by: frame, displacedBy: $0) })
    else { return nil }
    let sought = sought(displacedBy: displacements, search)
    return isEnough(search.pixels(pixels, of: sought, in: frame).reduce(0, |))
  }

  private func isEnough(_ shown: UInt64) -> Bool {
    Double(shown.nonzeroBitCount) >= Self.leastShown * Double(pixels.nonzeroBitCount)
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
