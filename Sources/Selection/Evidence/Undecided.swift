import Frames

extension Agreement {
  /// From so many times as many frames on, what most of them show wins against anything else, whoever is seen in it: nobody
  /// has to look.
  private static let lead: Float = 2.7

  /// The cells where the median may be wrong and what most frames show is not shown by many more than what others show.
  /// - Throws: `CancellationError`.
  func undecided(_ departures: Departures, of candidates: Candidates, threads: Int) async throws -> RegionMask {
    let open = cells.cells.filter { departures.verdicts[$0] == .open }
    let chunk = 1024
    let found = try await mapIndices(count: (open.count + chunk - 1) / chunk, threads: threads) { index in
      open[index * chunk..<min((index + 1) * chunk, open.count)].filter { isUndecided($0, of: candidates) }
    }
    return RegionMask(size: cells.grid.size, pixels: found.joined())
  }

  /// Whether it is undecided at any pixel of a cell what most frames show.
  private func isUndecided(_ cell: Int, of candidates: Candidates) -> Bool {
    let pixels = cells.grid.pixels(of: cell)
    for y in pixels.rows {
      for x in pixels.columns {
        guard let sets = sets(x: x, y: y) else { continue }
        func showing(the frame: Int) -> CandidateSet { sets[frame].same & candidates.everyFrame }
        var most: CandidateSet = 0
        for frame in 0..<candidates.frameCount where showing(the: frame).nonzeroBitCount > most.nonzeroBitCount {
          most = showing(the: frame)
        }
        var next = 0
        for frame in 0..<candidates.frameCount where !most.contains(frame) {
          next = max(next, showing(the: frame).nonzeroBitCount)
        }
        if Float(most.nonzeroBitCount) + 0.5 < Self.lead * (Float(next) + 0.5) { return true }
      }
    }
    return false
  }
}
