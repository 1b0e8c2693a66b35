import Frames

/// Borders between regions where two candidates show the same and where they do not: whose edges run along them.
///
/// Somebody who stands there brings edges along his outline that the surroundings do not continue.
struct Borders: Sendable {
  /// What the borders in a cell tell of a pair a < b.
  struct Border: BitwiseCopyable, Sendable {
    /// By how much a has edges that b lacks, each as a share of their strength, times `shareUnit`.
    var excess: Int16 = 0
    /// How often that was asked; each pixel of border counts at either end.
    var count: UInt16 = 0
  }

  /// Fixed point of `Border.excess`.
  static let shareUnit = 64
  /// Pixels between the two sides of a border: outlines are soft over about this far.
  private static let reach = 2
  /// Edges are compared as shares of their strength; this many standard deviations of noise keep weak ones out.
  private static let quiet: Float = 6

  /// Contested cell after contested cell, pair after pair.
  let borders: Elements<Border>
  private let cells: ContestedCells

  /// - Parameter old: of the same candidates at some of the cells.
  /// - Throws: `AllocationError`, `CancellationError`.
  init(
    of candidates: Candidates, _ noise: [ComparedNoise], _ agreement: Agreement, reusing old: Borders? = nil,
    threads: Int
  ) async throws {
    let cells = agreement.cells
    self.cells = cells
    let pairs = candidates.pairCount
    let weights = EdgeWeights(candidates, noise)
    borders = try await Elements(
      count: cells.count, each: pairs, grain: 256, threads: threads,
      scratch: { (PixelValues(candidates), PixelValues(candidates)) },
      fill: { contested, borders, values in
        borders.initialize(repeating: Border(), count: contested.count * pairs)
        for (place, k) in contested.enumerated() {
          let cell = cells.cells[k]
          let target = borders + place * pairs
          if let old, let known = old.cells.position(of: cell),
            Direction.allCases.allSatisfy({
              (cells.neighbour(of: k, $0) == nil) == (old.cells.neighbour(of: known, $0) == nil)
            })
          {
            // It reaches no farther than into these.
            target.update(from: old.borders.base + known * pairs, count: pairs)
            continue
          }
          for (dx, dy) in [(Self.reach, 0), (0, Self.reach)] {
            Self.count(cell, (dx, dy), candidates, agreement, weights, values, into: target)
          }
        }
      })
  }

  /// What the borders in the contested cell `k` tell of the pair a < b.
  func between(_ a: Int, _ b: Int, in k: Int, of candidates: Candidates) -> Border {
    borders[k * candidates.pairCount + pairIndex(a, b, count: candidates.count)]
  }

  /// Counts the borders between pixels `step` apart of which one or both lie in a cell.
  private static func count(
    _ cell: Int, _ step: (x: Int, y: Int), _ candidates: Candidates, _ agreement: Agreement, _ weights: EdgeWeights,
    _ values: (from: PixelValues, to: PixelValues), into borders: UnsafeMutablePointer<Border>
  ) {
    let (left, top) = candidates.grid.origin(of: cell)
    let (right, bottom) = (left + CellGrid.side, top + CellGrid.side)
    let count = candidates.count
    let firstX = max(left - step.x, 0)
    let endX = max(min(right, candidates.size.width - step.x), firstX)
    for y in stride(from: max(top - step.y, 0), to: min(bottom, candidates.size.height - step.y), by: 1) {
      for x in firstX..<endX {
        guard let from = agreement.sets(x: x, y: y), let to = agreement.sets(x: x + step.x, y: y + step.y) else {
          continue
        }
        var any: CandidateSet = 0
        for a in 0..<count { any |= (from[a].same & to[a].other) | (from[a].other & to[a].same) }
        guard any != 0 else { continue }
        values.from.gather(x: x, y: y)
        values.to.gather(x: x + step.x, y: y + step.y)
        let noise = weights.noise(at: values.from)
        // What was clipped has the edges of those it was repaired by.
        let believed = ~(values.from.doubted | values.to.doubted)
        // Both ends may lie in the cell, or one of them.
        let ends = (x >= left && y >= top ? 1 : 0) + (x + step.x < right && y + step.y < bottom ? 1 : 0)
        for a in 0..<count {
          guard believed.contains(a) else { continue }
          let later = believed & ~((2 &<< CandidateSet(truncatingIfNeeded: a)) &- 1)
          let ownEdge = edge(a, values)
          ((from[a].same & to[a].other | from[a].other & to[a].same) & later).visit { b in
            guard !isExplainedByClipping(a, b, from[a].same.contains(b) ? values.from : values.to, noise) else {
              return
            }
            let otherEdge = edge(b, values)
            let more = (ownEdge - otherEdge) / (ownEdge + otherEdge + noise)
            let pair = pairIndex(a, b, count: count)
            borders[pair].excess &+= Int16(ends * Int((more * Float(shareUnit)).rounded(.toNearestOrAwayFromZero)))
            borders[pair].count &+= UInt16(ends)
          }
        }
      }
    }
  }

  /// Whether two candidates show the same at a pixel only in so far as one of them is clipped: a bright wall, overexposed, has
  /// none of the edges that it has in other frames.
  @inline(__always)
  private static func isExplainedByClipping(_ a: Int, _ b: Int, _ values: PixelValues, _ noise: Float) -> Bool {
    guard values.isAnyClipped else { return false }
    return values.isClipped[a] != values.isClipped[b] && abs(values.brightness[a] - values.brightness[b]) > noise
  }

  /// By how much a candidate's values step from one pixel to the other, in levels.
  @inline(__always)
  private static func edge(_ index: Int, _ values: (from: PixelValues, to: PixelValues)) -> Float {
    abs(values.from.brightness[index] - values.to.brightness[index])
      + abs(values.from.blue[index] - values.to.blue[index]) + abs(values.from.red[index] - values.to.red[index])
  }

  /// What keeps weak edges out.
  private struct EdgeWeights: Sendable {
    private let noise: ComparedNoise
    private let planes: Float
    private let median: Int

    init(_ candidates: Candidates, _ noise: [ComparedNoise]) {
      self.noise = noise[0]
      planes = candidates.hasChroma ? 1 : Float(candidates.planeCount)
      median = candidates.median
    }

    func noise(at values: PixelValues) -> Float {
      quiet * noise.variance(brightness: values.brightness[median], gradient: 0).squareRoot() * planes
    }
  }
}
