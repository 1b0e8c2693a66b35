import Frames

extension Detections {
  /// A detector that sees so much more where people are known to stand than where nobody does misses hardly anybody.
  private static let reliable: Float = 0.3

  /// How doubtful it is, in this burst, that nobody stands where nobody is seen: 0 where the detector misses hardly anybody, 1
  /// where it sees no more where people stand than elsewhere, since they are small, or cut off, or stand before each other.
  ///
  /// Who stands where is known at pixels where most frames show the same: whoever shows something else there. Where nobody is
  /// seen in any frame, that may be a branch.
  /// - Throws: `CancellationError`.
  func doubt(_ agreement: Agreement, _ candidates: Candidates, threads: Int) async throws -> Float {
    let cells = agreement.cells
    let chunk = 1024
    let sums = try await mapIndices(count: (cells.count + chunk - 1) / chunk, threads: threads) { index in
      var sums = Sums()
      for k in index * chunk..<min((index + 1) * chunk, cells.count) {
        let pixels = candidates.grid.pixels(of: cells.cells[k])
        for y in pixels.rows {
          for x in pixels.columns {
            guard isAnybody(x: x, y: y), let sets = agreement.sets(x: x, y: y) else { continue }
            let all = candidates.showing(sets)
            let usual = sets[candidates.median].same & candidates.everyFrame
            guard 5 * usual.nonzeroBitCount >= 3 * all.nonzeroBitCount else { continue }
            sums.free.add(self, usual, x: x, y: y)
            sums.occupied.add(self, all & ~usual, x: x, y: y)
          }
        }
      }
      return sums
    }
    let sum = sums.reduce(Sums(), +)
    guard let occupied = sum.occupied.mean, let free = sum.free.mean else { return 1 }
    return min(max(1 - (occupied - free) / Self.reliable, 0), 1)
  }

  /// What is seen at pixels of frames, whole numbers, so that sums do not depend on their order.
  private struct Sums {
    var occupied = Sum()
    var free = Sum()

    static func + (a: Sums, b: Sums) -> Sums { Sums(occupied: a.occupied + b.occupied, free: a.free + b.free) }
  }

  private struct Sum {
    private var certainty = 0
    private var count = 0

    /// 0...1; nil of nothing.
    var mean: Float? { count == 0 ? nil : Float(certainty) / Float(255 * count) }

    mutating func add(_ detections: Detections, _ frames: CandidateSet, x: Int, y: Int) {
      let seen = detections.sum(over: frames, x: x, y: y)
      certainty += seen.certainty
      count += seen.frames
    }

    static func + (a: Sum, b: Sum) -> Sum {
      var sum = a
      sum.certainty += b.certainty
      sum.count += b.count
      return sum
    }
  }
}
