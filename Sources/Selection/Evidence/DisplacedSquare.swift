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
  /// One frame in so many may show something else: whoever walks by stands before the thing.
  private static let excused = 5
  /// Frames beside the reference that must show a place at least: two are often alike by chance.
  private static let fewestFrames = 3
  /// Squares of a thing that are asked how it is displaced: at least, since a few are alike by chance, and at most.
  private static let (fewestAsked, mostAsked) = (6, 48)

  /// Those that hold some cells, row by row, of which frames can tell something.
  static func all(
    holding cells: [Int], of candidates: Candidates, _ agreement: Agreement, _ detections: Detections?,
    _ search: DisplacedPatches
  ) -> [DisplacedSquare] {
    let grid = candidates.grid
    let side = side / CellGrid.side
    func first(of cell: Int) -> Int {
      grid.row(of: cell) / side * side * grid.columns + grid.column(of: cell) / side * side
    }
    return Dictionary(grouping: cells, by: first).sorted { $0.key < $1.key }.compactMap { first, some in
      DisplacedSquare(some, origin: grid.origin(of: first), candidates, agreement, detections, search)
    }
  }

  private init?(
    _ cells: [Int], origin: (x: Int, y: Int), _ candidates: Candidates, _ agreement: Agreement,
    _ detections: Detections?, _ search: DisplacedPatches
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
    guard pixels != 0 else { return nil }
    let still = search.others.map { search.still(around: origin, in: $0) }
    let showing = zip(search.others, still).filter { $1 != nil }.map(\.0)
    guard showing.count >= Self.fewestFrames, Self.isExcused(still.count - showing.count, of: still.count) else {
      return nil
    }
    frames = showing.reduce(0) { $0 | CandidateSet(only: $1) }
    // What looks the same in most frames where it is stands no nearer than the rest.
    patches = search.patches(butFor: still.compactMap { $0 })
  }

  /// Those of a thing that most frames show displaced as the thing is, as far as they reach that far; none unless nearly every
  /// frame shows half of it displaced alike. A thing moves as one; people who stay, clouds and leaves are found here and there.
  static func movingAlike(_ squares: [DisplacedSquare], _ search: DisplacedPatches) -> [DisplacedSquare] {
    guard squares.count >= fewestAsked else { return [] }
    let step = (squares.count + mostAsked - 1) / mostAsked
    let asked = stride(from: 0, to: squares.count, by: step).map { squares[$0] }
    let sought = asked.map { search.sought($0.patches, around: $0.origin, displacedBy: search.displacements) }
    // By frame, how the thing is displaced, and what lies next to that: it is by fractions of a pixel.
    var found: [(frame: Int, displacements: [DisplacedPatches.Displacement])] = []
    for (place, frame) in search.others.enumerated() {
      let isShown = asked.indices.filter { asked[$0].frames.contains(frame) }.map { k in
        search.pixels(asked[k].pixels, of: sought[k], in: frame).map(asked[k].isEnough)
      }
      let counts = search.displacements.indices.map { shift in isShown.count { $0[shift] } }
      guard let most = counts.max(), 2 * most >= max(isShown.count, fewestAsked),
        let shift = counts.firstIndex(of: most)
      else {
        guard isExcused(place + 1 - found.count, of: search.others.count) else { return [] }
        continue
      }
      found.append((frame, search.displacements(nextTo: shift)))
    }
    return squares.filter { square in
      let showing = found.filter { frame, displacements in
        square.frames.contains(frame)
          && displacements.allSatisfy { search.shows(square.origin, by: frame, displacedBy: $0) }
      }
      let shown = showing.count { frame, displacements in
        let sought = search.sought(square.patches, around: square.origin, displacedBy: displacements)
        return square.isEnough(search.pixels(square.pixels, of: sought, in: frame).reduce(0, |))
      }
      return 2 * shown >= showing.count
    }
  }

  private func isEnough(_ shown: UInt64) -> Bool {
    Double(shown.nonzeroBitCount) >= Self.leastShown * Double(pixels.nonzeroBitCount)
  }

  private static func isExcused(_ missing: Int, of frames: Int) -> Bool { excused * missing <= frames }
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
