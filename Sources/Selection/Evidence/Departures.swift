import CShimKernels
import Frames

/// Per cell, how the frames stand to their median.
struct Departures: Sendable, Hashable {
  /// How a cell's frames agree with the median.
  enum Verdict: UInt8, Sendable {
    /// All but a few passers-by do: the median settles the cell.
    case settled
    /// So many depart, or so many of them together, that there is something to decide.
    case contested
    /// Fewer than 60 % agree, so that the median may be wrong.
    case open
  }

  let verdicts: [Verdict]
  /// How many frames agree with the median at the cell's worst pixel.
  let agreeing: [UInt8]
  /// The frames that depart from the median at any of the cell's pixels.
  let departing: [CandidateSet]

  /// The cells in which a frame departs that are connected, by such cells, with one of `starts` in which it does.
  func cells(of frame: Int, from starts: Set<Int>, in grid: CellGrid) -> [Int] {
    let departs = RegionMask(size: grid.size, isSet: departing.map { $0.contains(frame) })
    return departs.regions(of: true).filter { $0.contains(where: starts.contains) }.flatMap(\.self)
  }
}

/// Finds where frames depart from their median by more than the noise explains.
/// - Throws: `CancellationError`.
func findDepartures(of candidates: Candidates, _ noise: [ComparedNoise], threads: Int) async throws -> Departures {
  let (grid, strip) = (candidates.grid, 8)
  let parts = try await mapIndices(count: (grid.rows + strip - 1) / strip, threads: threads) { part in
    let counts = DepartureCounts(
      candidates, noise, rows: part * strip * CellGrid.side..<min((part + 1) * strip, grid.rows) * CellGrid.side)
    return counts.judged(candidates)
  }
  return Departures(
    verdicts: parts.flatMap(\.verdicts), agreeing: parts.flatMap(\.agreeing), departing: parts.flatMap(\.departing))
}

/// From this mean squared distance on, in units of the noise, a frame departs from the median.
private let departure = 2 * Agreement.sameThing
/// The share of frames that must depart before a place is contested: a single passer-by among many frames is no
/// match for the median.
private let contestedShare: Float = 0.2

/// Per pixel of some rows, how many frames there are and which of them depart.
private struct DepartureCounts {
  private let rows: Range<Int>
  private let width: Int
  private let noise: [cs_seen_noise]
  private var departing: [CandidateSet]
  private var shown: [UInt8]

  init(_ candidates: Candidates, _ noise: [ComparedNoise], rows wanted: Range<Int>) {
    let (width, height) = (candidates.size.width, candidates.size.height)
    rows = wanted.clamped(to: 0..<height)
    self.width = width
    departing = Array(repeating: 0, count: rows.count * width)
    shown = Array(repeating: 0, count: rows.count * width)
    self.noise = noise.map(\.kernelNoise)
    let kernelPlanes = candidates.kernelPlanes
    let median = RowsSeen(candidates.list[candidates.median], kernelPlanes)
    // One row more on both sides, for means over 3x3.
    let halo = max(rows.lowerBound - 1, 0)..<min(rows.upperBound + 1, height)
    var distance = [Float](repeating: 0, count: halo.count * width)
    var column = [Float](repeating: 0, count: width)
    for (index, frame) in candidates.frames.enumerated() {
      let own = RowsSeen(frame, kernelPlanes)
      // The median clips none, and asking of colours takes longer.
      let explained = frame.clipsColours ? CS_CLIPPED_COLOURS : CS_CLIPPED_BRIGHTNESS
      distance.withUnsafeMutableBufferPointer { distance in
        for y in halo {
          let row = distance.baseAddress! + (y - halo.lowerBound) * width
          let covered = frame.coverage[y]
          own.writeSquaredDistances(from: median, but: explained, self.noise, y: y, columns: covered, into: row)
          for x in 0..<Int(covered.lowerBound) { row[x] = 0 }
          for x in Int(covered.upperBound)..<width { row[x] = 0 }
        }
      }
      for y in rows {
        let above = (max(y - 1, halo.lowerBound) - halo.lowerBound) * width
        let below = (min(y + 1, halo.upperBound - 1) - halo.lowerBound) * width
        count(y, index, frame, distance, above: above, here: (y - halo.lowerBound) * width, below: below, &column)
      }
    }
  }

  /// Adds a frame's departures in a row.
  private mutating func count(
    _ y: Int, _ index: Int, _ frame: Candidate, _ distance: [Float], above: Int, here: Int, below: Int,
    _ column: inout [Float]
  ) {
    let only = CandidateSet(only: index)
    let start = (y - rows.lowerBound) * width
    let last = width - 1
    distance.withUnsafeBufferPointer { distance in
      column.withUnsafeMutableBufferPointer { column in
        departing.withUnsafeMutableBufferPointer { departing in
          for x in 0..<width { column[x] = distance[above &+ x] + distance[here &+ x] + distance[below &+ x] }
          func add(_ x: Int, _ left: Int, _ right: Int) {
            let sum = column[left] + column[x] + column[right]
            departing[start &+ x] |= sum > 9 * departure ? only : 0
          }
          add(0, 0, min(1, last))
          for x in 1..<max(last, 1) { add(x, x &- 1, x &+ 1) }
          if last > 0 { add(last, last - 1, last) }
        }
      }
    }
    let covered = start + Int(frame.coverage[y].lowerBound)..<start + Int(frame.coverage[y].upperBound)
    shown.withUnsafeMutableBufferPointer { shown in
      for x in covered { shown[x] &+= 1 }
    }
  }

  /// What the counts mean for the cells.
  func judged(_ candidates: Candidates) -> Departures {
    let (grid, frames) = (candidates.grid, candidates.frameCount)
    let cells = (rows.count + CellGrid.side - 1) / CellGrid.side * grid.columns
    var (worst, agreeing) = ([UInt8](repeating: 0, count: cells), [UInt8](repeating: .max, count: cells))
    // Frames that depart all over a cell, and anywhere in it.
    var throughout = [CandidateSet](repeating: candidates.everyFrame, count: cells)
    var anywhere = [CandidateSet](repeating: 0, count: cells)
    for y in 0..<rows.count {
      for x in 0..<width {
        let (set, shows) = (departing[y * width + x], shown[y * width + x])
        let departs = UInt8(set.nonzeroBitCount)
        let cell = grid.cell(x: x, y: y)
        throughout[cell] &= set
        anywhere[cell] |= set
        agreeing[cell] = min(agreeing[cell], shows > departs ? shows - departs : 0)
        guard departs > 0 else { continue }
        // At the picture's rim, which few frames show, disagreement says little.
        let isOpen = 5 * Int(departs) >= 2 * Int(shows) && 2 * Int(shows) >= frames
        let isContested = Float(departs) >= contestedShare * Float(shows)
        let verdict: Departures.Verdict = isOpen ? .open : isContested ? .contested : .settled
        worst[cell] = max(worst[cell], verdict.rawValue)
      }
    }
    // However few they are, those who depart together may show what somebody hides in all others.
    var row = [Float](repeating: 0, count: width)
    for cell in 0..<cells where worst[cell] == Departures.Verdict.settled.rawValue {
      guard doAnyTwoAgree(throughout[cell], in: cell, candidates, &row) else { continue }
      worst[cell] = Departures.Verdict.contested.rawValue
    }
    return Departures(
      verdicts: worst.map { Departures.Verdict(rawValue: $0) ?? .settled }, agreeing: agreeing, departing: anywhere)
  }

  /// Whether any two of some frames show the same in a cell, counted from the first row.
  /// - Parameter row: room for a row of pixels.
  private func doAnyTwoAgree(
    _ set: CandidateSet, in cell: Int, _ candidates: Candidates, _ row: inout [Float]
  ) -> Bool {
    guard set.nonzeroBitCount >= 2 else { return false }
    let (left, top) = candidates.grid.origin(of: cell)
    let columns = Int32(left)..<Int32(min(left + CellGrid.side, width))
    let cellRows = rows.lowerBound + top..<min(rows.lowerBound + top + CellGrid.side, rows.upperBound)
    let seen = (0..<candidates.frameCount).filter(set.contains).map {
      RowsSeen(candidates.list[$0], candidates.kernelPlanes)
    }
    return row.withUnsafeMutableBufferPointer { row in
      seen.indices.contains { a in
        seen[(a + 1)...].contains { other in
          var sum: Float = 0
          for y in cellRows {
            seen[a].writeSquaredDistances(
              from: other, but: CS_CLIPPED_BRIGHTNESS, noise, y: y, columns: columns, into: row.baseAddress!)
            for x in columns { sum += row[Int(x)] }
          }
          return sum <= Agreement.sameThing * Float(columns.count * cellRows.count)
        }
      }
    }
  }
}

/// A candidate's rows as the kernel sees them.
private struct RowsSeen {
  /// Brightness, blue, red and gradient.
  private let planes: [Plane]
  private let kernelPlanes: cs_seen_planes
  private let clipped: Plane?

  init(_ candidate: Candidate, _ kernelPlanes: cs_seen_planes) {
    self.kernelPlanes = kernelPlanes
    planes = candidate.threePlanes + [candidate.gradient]
    clipped = candidate.clipped
  }

  private func seen(_ y: Int, from x: Int) -> cs_seen {
    func start(_ plane: Plane) -> UnsafePointer<UInt8> {
      plane.withUnsafeRow(y, as: UInt8.self) { $0.baseAddress! + x }
    }
    return cs_seen(
      brightness: start(planes[0]), blue: start(planes[1]), red: start(planes[2]), gradient: start(planes[3]),
      clipped: clipped.map(start))
  }

  /// Writes mean squared distances from another's row.
  /// - Parameter explained: what clipping explains, which counts as 0.
  func writeSquaredDistances(
    from other: RowsSeen, but explained: cs_explained, _ noise: [cs_seen_noise], y: Int, columns: Range<Int32>,
    into row: UnsafeMutablePointer<Float>
  ) {
    let first = Int(columns.lowerBound)
    var (one, two) = (seen(y, from: first), other.seen(y, from: first))
    cs_compare(&one, &two, 1, noise, kernelPlanes, explained, Int32(columns.count), row + first)
  }
}
