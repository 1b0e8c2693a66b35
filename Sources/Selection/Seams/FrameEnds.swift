import Frames

/// Where frames end within the plate, as at its rim when it is cropped to the reference: whoever follows a frame beyond its end
/// sees those that go on, and a seam where they show something else.
struct FrameEnds: Sendable {
  /// What a cell costs in which frames end.
  struct End: Sendable, Hashable {
    /// By candidate, in pixels of a seam; the least of what any frame that goes on would show.
    var costs: [Float]
    /// The frames that go on.
    var goingOn: CandidateSet
  }

  /// By cell.
  let ends: [Int: End]
  /// What the plate shows, in the small pictures' pixels; empty where it does not matter how its rim looks.
  let shown: Region

  static let none = FrameEnds(ends: [:])

  private init(ends: [Int: End]) {
    self.ends = ends
    shown = Region(x: 0, y: 0, width: 0, height: 0)
  }

  /// - Parameter shown: what the plate shows, in the small pictures' pixels.
  init(of candidates: Candidates, _ noise: [ComparedNoise], within shown: Region) {
    self.shown = shown
    let cells = candidates.cellsWithEnds(within: shown)
    guard !cells.isEmpty else {
      ends = [:]
      return
    }
    let measure = EndMeasure(candidates, noise, shown)
    var ends: [Int: End] = [:]
    for cell in cells { ends[cell] = measure.end(in: cell) }
    self.ends = ends
  }
}

extension Candidates {
  /// The cells in which a frame ends towards the right, the left, above or below, within a region.
  fileprivate func cellsWithEnds(within shown: Region) -> [Int] {
    var found = RegionMask(size: grid.size)
    let columns = Int32(shown.x)..<Int32(shown.maxX)
    func mark(_ start: Int32, _ end: Int32, _ y: Int) {
      for x in stride(from: Int(start), to: Int(end), by: CellGrid.side) { found.isSet[grid.cell(x: x, y: y)] = true }
      if start < end { found.isSet[grid.cell(x: Int(end) - 1, y: y)] = true }
    }
    for frame in frames {
      for y in shown.rows {
        let own = frame.coverage[y].clamped(to: columns)
        guard !own.isEmpty else { continue }
        if own.lowerBound > columns.lowerBound { mark(own.lowerBound, own.lowerBound + 1, y) }
        if own.upperBound < columns.upperBound { mark(own.upperBound - 1, own.upperBound, y) }
        for next in [y - 1, y + 1] where next >= shown.y && next < shown.maxY {
          let other = frame.coverage[next].clamped(to: columns)
          if other.isEmpty {
            mark(own.lowerBound, own.upperBound, y)
          } else {
            mark(own.lowerBound, min(own.upperBound, other.lowerBound), y)
            mark(max(own.lowerBound, other.upperBound), own.upperBound, y)
          }
        }
      }
    }
    return found.isSet.indices.filter { found.isSet[$0] }
  }
}

/// Measures ends in one cell after another.
private struct EndMeasure {
  private let candidates: Candidates
  private let shown: Region
  private let pixels: ComparedPixels
  private static let cellPixels = CellGrid.side * CellGrid.side

  init(_ candidates: Candidates, _ noise: [ComparedNoise], _ shown: Region) {
    self.candidates = candidates
    self.shown = shown
    pixels = ComparedPixels(candidates, noise, most: Self.cellPixels)
  }

  /// Two neighbours between which frames end.
  private struct Step {
    /// The pixel of the cell, row by row.
    var pixel: Int
    /// Frames that show it and not its neighbour, and those that show both.
    var ending, goingOn: CandidateSet
  }

  /// - Returns: nil where nobody goes on.
  func end(in cell: Int) -> FrameEnds.End? {
    let steps = steps(in: cell)
    let goingOn = steps.reduce(0) { $0 | $1.goingOn }
    guard goingOn != 0 else { return nil }
    let (left, top) = candidates.grid.origin(of: cell)
    pixels.take(columns: left..<left + CellGrid.side, rows: top..<top + CellGrid.side)
    // By step and candidate, the least of what those who go on show.
    let count = candidates.count
    var least = [Float](repeating: 1, count: steps.count * count)
    for frame in 0..<candidates.frameCount where goingOn.contains(frame) {
      let distances = pixels.distances(of: frame, from: 0..<count)
      for (index, step) in steps.enumerated() where step.goingOn.contains(frame) {
        for candidate in 0..<count {
          let visible = EnergyWeights.standard.visibility(
            squaredDistance: distances[candidate * pixels.stride + step.pixel])
          least[index * count + candidate] = min(least[index * count + candidate], visible)
        }
      }
    }
    var costs = [Float](repeating: 0, count: count)
    for (index, step) in steps.enumerated() {
      for candidate in 0..<count where !step.goingOn.contains(candidate) {
        // Whoever ended before is filled in by the median. A seam is counted on both of its sides; of this one side is known.
        let shown = step.ending.contains(candidate) ? candidate : candidates.median
        costs[candidate] += 2 * least[index * count + shown]
      }
    }
    return FrameEnds.End(costs: costs, goingOn: goingOn)
  }

  private func steps(in cell: Int) -> [Step] {
    let (left, top) = candidates.grid.origin(of: cell)
    let part = candidates.grid.pixels(of: cell).intersection(shown)
    var steps: [Step] = []
    for y in part.rows {
      for x in part.columns {
        let here = candidates.covering(x: x, y: y) & candidates.everyFrame
        for direction in Direction.allCases {
          let (u, v) = (x + direction.step.x, y + direction.step.y)
          guard u >= shown.x, v >= shown.y, u < shown.maxX, v < shown.maxY else { continue }
          let there = candidates.covering(x: u, y: v) & candidates.everyFrame
          guard here & ~there != 0, here & there != 0 else { continue }
          steps.append(
            Step(pixel: (y - top) * CellGrid.side + x - left, ending: here & ~there, goingOn: here & there))
        }
      }
    }
    return steps
  }
}
