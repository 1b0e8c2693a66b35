import CShimKernels
import Frames

/// Who shows the same as whom at the pixels of the contested cells.
///
/// What a colour lacks that is clipped says neither: a leaf is paler where a photo is exposed for longer, but what is behind
/// that nobody knows.
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
        var k = contested.lowerBound
        while k < contested.upperBound {
          let target = sets + (k - contested.lowerBound) * each
          if let old, let known = old.cells.position(of: cells.cells[k]) {
            target.initialize(from: old.sets.base + known * each, count: each)
            k += 1
          } else {
            let run = cells.run(from: k, to: min(k + CellComparison.mostCells, contested.upperBound)) {
              old?.cells.position(of: $0) == nil
            }
            comparison.compare(cells.cells[k]..<cells.cells[k] + run.count, into: target)
            k = run.upperBound
          }
        }
      })
  }

  /// The candidates' sets at a pixel, or nil where nothing is contested; valid as long as the agreement is kept.
  @inline(__always)
  func sets(x: Int, y: Int) -> UnsafePointer<Sets>? {
    let contested = cells.position[cells.grid.cell(x: x, y: y)]
    return contested < 0 ? nil : sets(contested: Int(contested), x: x, y: y)
  }

  /// The same at a pixel of the contested cell `k`.
  @inline(__always)
  func sets(contested k: Int, x: Int, y: Int) -> UnsafePointer<Sets> {
    let pixel = k &* Self.cellPixels &+ y % CellGrid.side &* CellGrid.side &+ x % CellGrid.side
    return sets.base + pixel &* count
  }

  /// The same at the middle of the contested cell `k`.
  @inline(__always)
  func sets(inMiddleOf k: Int) -> UnsafePointer<Sets> {
    sets(contested: k, x: CellGrid.side / 2, y: CellGrid.side / 2)
  }
}

/// Compares candidates at some cells next to each other after others: a task's scratch.
private final class CellComparison {
  /// Cells that are compared at once.
  static let mostCells = 8
  /// Pixels around a cell that are compared as well.
  private static let rim = 1
  private static let side = CellGrid.side

  private let candidates: Candidates
  private let pixels: ComparedPixels
  /// Of every candidate the pixels of all cells, row by row, four at a time.
  private let same: UnsafeMutablePointer<FourSets>
  private let other: UnsafeMutablePointer<FourSets>
  private static let most = side * mostCells

  /// Distances, and sets, of the pixels of a cell's row.
  private typealias Four = SIMD4<Float>
  private typealias FourSets = SIMD4<CandidateSet>

  init(_ candidates: Candidates, _ noise: [ComparedNoise]) {
    self.candidates = candidates
    pixels = ComparedPixels(
      candidates, noise, most: (Self.side * Self.mostCells + 2 * Self.rim) * (Self.side + 2 * Self.rim))
    same = .allocate(capacity: 2 * candidates.count * Self.most)
    same.initialize(repeating: .zero, count: 2 * candidates.count * Self.most)
    other = same + candidates.count * Self.most
  }

  deinit { same.deallocate() }

  /// - Parameters:
  ///   - cells: in one row, one after another.
  ///   - sets: where those of their pixels go.
  func compare(_ cells: Range<Int>, into sets: UnsafeMutablePointer<Agreement.Sets>) {
    let (left, top) = candidates.grid.origin(of: cells.lowerBound)
    let width = cells.count * Self.side + 2 * Self.rim
    pixels.take(
      columns: left - Self.rim..<left - Self.rim + width, rows: top - Self.rim..<top + Self.side + Self.rim)
    let rows = Self.side * cells.count
    for candidate in 0..<candidates.count {
      (same + candidate * Self.most).update(repeating: .zero, count: rows)
      (other + candidate * Self.most).update(repeating: .zero, count: rows)
    }
    for a in 0..<candidates.count - 1 {
      let others = a + 1..<candidates.count
      var distances = pixels.distances(of: a, from: others)
      for b in others {
        compare(a, b, distances, width: width, cells: cells.count)
        distances += pixels.stride
      }
      let clipsColours = candidates.list[a].clipsColours
      guard clipsColours || candidates.list[others].contains(where: \.clipsColours) else { continue }
      distances = pixels.distances(of: a, from: others, but: CS_CLIPPED_COLOURS)
      for b in others {
        if clipsColours || candidates.list[b].clipsColours {
          excuse(a, b, distances, width: width, cells: cells.count)
        }
        distances += pixels.stride
      }
    }
    write(cells, left: left, top: top, sets)
  }

  /// Adds to the sets who of a pair shows what the other shows.
  @inline(__always)
  private func compare(_ a: Int, _ b: Int, _ distances: UnsafePointer<Float>, width: Int, cells: Int) {
    let (first, second) = (a &* Self.most, b &* Self.most)
    let (bitOfA, bitOfB) = (FourSets(repeating: CandidateSet(only: a)), FourSets(repeating: CandidateSet(only: b)))
    for y in 0..<Self.side {
      for cell in 0..<cells {
        let sum = sums(distances, row: y, of: cell, width: width)
        let (isSame, isOther) = (sum .<= 9 * Agreement.sameThing, sum .> 9 * Agreement.anotherThing)
        let place = y &* cells &+ cell
        same[first &+ place] |= FourSets.zero.replacing(with: bitOfB, where: isSame)
        same[second &+ place] |= FourSets.zero.replacing(with: bitOfA, where: isSame)
        other[first &+ place] |= FourSets.zero.replacing(with: bitOfB, where: isOther)
        other[second &+ place] |= FourSets.zero.replacing(with: bitOfA, where: isOther)
      }
    }
  }

  /// Takes out of the sets who only seems to show something else than the other of a pair.
  /// - Parameter distances: without what clipped colours explain.
  @inline(__always)
  private func excuse(_ a: Int, _ b: Int, _ distances: UnsafePointer<Float>, width: Int, cells: Int) {
    let (first, second) = (a &* Self.most, b &* Self.most)
    let (notA, notB) = (FourSets(repeating: ~CandidateSet(only: a)), FourSets(repeating: ~CandidateSet(only: b)))
    for y in 0..<Self.side {
      for cell in 0..<cells {
        let isExcused = sums(distances, row: y, of: cell, width: width) .<= 9 * Agreement.anotherThing
        let place = y &* cells &+ cell
        other[first &+ place].replace(with: other[first &+ place] & notB, where: isExcused)
        other[second &+ place].replace(with: other[second &+ place] & notA, where: isExcused)
      }
    }
  }

  /// Sums over 3x3 distances around the pixels of a cell's row.
  @inline(__always)
  private func sums(_ distances: UnsafePointer<Float>, row: Int, of cell: Int, width: Int) -> Four {
    let corner = UnsafeRawPointer(distances + (row &* width &+ cell &* Self.side))
    var sum = Four.zero
    for y in 0..<3 {
      for x in 0..<3 { sum += corner.loadUnaligned(fromByteOffset: 4 &* (y &* width &+ x), as: Four.self) }
    }
    return sum
  }

  /// Hands the sets over, cell after cell, as far as candidates show the pixels.
  private func write(_ cells: Range<Int>, left: Int, top: Int, _ sets: UnsafeMutablePointer<Agreement.Sets>) {
    let (lastX, lastY) = (candidates.size.width - 1, candidates.size.height - 1)
    var target = sets
    for cell in 0..<cells.count {
      for y in 0..<Self.side {
        let place = y * cells.count + cell
        for x in 0..<Self.side {
          let covering = candidates.covering(x: min(left + cell * Self.side + x, lastX), y: min(top + y, lastY))
          for candidate in 0..<candidates.count {
            var set = Agreement.Sets()
            if covering.contains(candidate) {
              set.same = same[candidate &* Self.most &+ place][x] & covering | CandidateSet(only: candidate)
              set.other = other[candidate &* Self.most &+ place][x] & covering
            }
            target.initialize(to: set)
            target += 1
          }
        }
      }
    }
  }
}

extension Candidates {
  /// The frames that show a pixel, of which it is known who shows the same as whom.
  @inline(__always)
  func showing(_ sets: UnsafePointer<Agreement.Sets>) -> CandidateSet {
    (0..<count).reduce(0) { $0 | sets[$1].same } & everyFrame
  }
}

extension ContestedCells {
  /// As many contested cells from one on, up to another, as lie next to each other in a row and are wanted; at least the first.
  fileprivate func run(from first: Int, to end: Int, where isWanted: (_ cell: Int) -> Bool) -> Range<Int> {
    var last = first + 1
    while last < end, cells[last] == cells[last - 1] + 1, grid.column(of: cells[last]) > 0, isWanted(cells[last]) {
      last += 1
    }
    return first..<last
  }
}
