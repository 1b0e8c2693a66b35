import Frames

/// Who shows the same as whom at the pixels of the contested cells.
struct Agreement: Sendable {
  /// Mean squared distance over 3x3 pixels, in units of the noise, up to which two candidates show the same thing.
  static let sameThing: Float = 4
  /// From here on they certainly do not. In between lie drifting clouds and shadows, which have no border that could
  /// tell anything.
  static let anotherThing = 3 * sameThing

  /// What a candidate shows at a pixel; both are empty where it does not show the pixel.
  struct Sets: BitwiseCopyable, Sendable, Hashable {
    /// Who shows the same, the candidate itself among them.
    var same: CandidateSet = 0
    /// Who certainly shows something else.
    var other: CandidateSet = 0
  }

  let cells: ContestedCells
  /// How many candidates there are.
  let count: Int
  /// Cell after cell, pixel after pixel, candidate after candidate.
  private let sets: Elements<Sets>

  private static let cellPixels = CellGrid.side * CellGrid.side

  /// Compares all pairs of candidates.
  /// - Parameter old: of the same candidates at some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of candidates: Candidates, _ noise: [ComparedNoise], at cells: ContestedCells, reusing old: Agreement? = nil,
    threads: Int
  ) async throws {
    self.cells = cells
    count = candidates.count
    let each = Self.cellPixels * candidates.count
    sets = try await Elements(
      count: cells.count, each: each, grain: 128, threads: threads,
      scratch: { CellComparison(candidates, noise) },
      fill: { contested, sets, comparison in
        for (place, k) in contested.enumerated() {
          if let old, let known = old.cells.position(of: cells.cells[k]) {
            (sets + place * each).initialize(from: old.sets.base + known * each, count: each)
          } else {
            comparison.compare(cell: cells.cells[k], into: sets + place * each)
          }
        }
      })
  }

  /// The candidates' sets at a pixel, or nil where nothing is contested; valid as long as the agreement is kept.
  @inline(__always)
  func sets(x: Int, y: Int) -> UnsafePointer<Sets>? {
    let contested = cells.position[cells.grid.cell(x: x, y: y)]
    guard contested >= 0 else { return nil }
    let pixel = Int(contested) &* Self.cellPixels &+ y % CellGrid.side &* CellGrid.side &+ x % CellGrid.side
    return sets.base + pixel &* count
  }
}

/// Compares candidates at one cell after another: a task's scratch.
private final class CellComparison {
  /// Pixels along the side of a cell and what surrounds it.
  private static let side = CellGrid.side + 2

  private let candidates: Candidates
  private let noise: [ComparedNoise]
  private let values: PixelValues
  /// Of the pixels of a cell and around it, row by row.
  private let distances: UnsafeMutablePointer<Four>
  /// Vectors of a pixel's distances.
  private let each: Int
  /// The cell that was compared last.
  private var last: Int?

  init(_ candidates: Candidates, _ noise: [ComparedNoise]) {
    self.candidates = candidates
    self.noise = noise
    values = PixelValues(candidates)
    each = candidates.count * values.blocks
    distances = .allocate(capacity: Self.side * Self.side * each)
    distances.initialize(repeating: .zero, count: Self.side * Self.side * each)
  }

  deinit { distances.deallocate() }

  /// - Parameter sets: where those of the cell's pixels go.
  func compare(cell: Int, into sets: UnsafeMutablePointer<Agreement.Sets>) {
    let (left, top) = candidates.grid.origin(of: cell)
    let (lastX, lastY) = (candidates.size.width - 1, candidates.size.height - 1)
    // The left neighbour shares two columns of pixels.
    let shared = left > 0 && last == cell - 1 ? 2 : 0
    last = cell
    for v in 0..<Self.side {
      let row = distances + v * Self.side * each
      row.update(from: row + CellGrid.side * each, count: shared * each)
      for u in shared..<Self.side {
        values.gather(x: min(max(left + u - 1, 0), lastX), y: min(max(top + v - 1, 0), lastY))
        values.pairDistances(noise, into: row + u * each)
      }
    }
    for v in 0..<CellGrid.side {
      for u in 0..<CellGrid.side {
        compare(
          distances + (v * Self.side + u) * each,
          covering: candidates.covering(x: min(left + u, lastX), y: min(top + v, lastY)),
          into: sets + (v * CellGrid.side + u) * candidates.count)
      }
    }
  }

  /// - Parameter distances: those of the upper left pixel of 3x3.
  private func compare(
    _ distances: UnsafePointer<Four>, covering: CandidateSet, into sets: UnsafeMutablePointer<Agreement.Sets>
  ) {
    let (count, blocks) = (candidates.count, values.blocks)
    sets.initialize(repeating: Agreement.Sets(), count: count)
    for a in 0..<count where covering.contains(a) {
      var (same, other) = (CandidateSet(0), CandidateSet(0))
      for block in (a &+ 1) / 4..<blocks {
        var sum = Four.zero
        for row in 0..<3 {
          for column in 0..<3 {
            sum += distances[(row &* Self.side &+ column) &* each &+ a &* blocks &+ block]
          }
        }
        let shift = CandidateSet(truncatingIfNeeded: 4 &* block)
        same |= lanes(sum .<= 9 * Agreement.sameThing) &<< shift
        other |= lanes(sum .> 9 * Agreement.anotherThing) &<< shift
      }
      let later = covering & ~((2 &<< CandidateSet(truncatingIfNeeded: a)) &- 1)
      same &= later
      other &= later
      sets[a].same |= same | CandidateSet(only: a)
      sets[a].other |= other
      let bit = CandidateSet(truncatingIfNeeded: a)
      for b in a &+ 1..<count {
        let place = CandidateSet(truncatingIfNeeded: b)
        sets[b].same |= (same &>> place & 1) &<< bit
        sets[b].other |= (other &>> place & 1) &<< bit
      }
    }
  }
}

/// One bit for each lane that is true.
@inline(__always)
private func lanes(_ mask: SIMDMask<SIMD4<Int32>>) -> CandidateSet {
  SIMD4<UInt32>.zero.replacing(with: SIMD4(1, 2, 4, 8), where: mask).wrappedSum()
}
