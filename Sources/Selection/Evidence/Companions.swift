import Frames

/// Who stands with a candidate in a cell.
struct Companions: Sendable {
  let candidates: Candidates
  let agreement: Agreement
  /// Whom a detector saw; nil when none looked.
  let detections: Detections?

  /// How surely somebody must be seen in frames on average.
  static let certainly: Float = 0.35

  /// The frames that show the same as a candidate all over a contested cell and one pixel around it; itself among them, if
  /// it is a frame.
  func frames(with candidate: Int, in cell: Int) -> CandidateSet {
    let (left, top) = candidates.grid.origin(of: cell)
    var set = candidates.everyFrame
    for y in max(top - 1, 0)...min(top + CellGrid.side, candidates.size.height - 1) {
      for x in max(left - 1, 0)...min(left + CellGrid.side, candidates.size.width - 1) {
        guard let same = agreement.sets(x: x, y: y)?[candidate].same, same != 0 else { continue }
        set &= same
      }
    }
    return set | CandidateSet(only: candidate) & candidates.everyFrame
  }

  /// Whether a detector sees somebody in the frames that show the same as a candidate at a contested cell's middle.
  func showSomebody(with candidate: Int, in cell: Int) -> Bool {
    let (left, top) = candidates.grid.origin(of: cell)
    let x = min(left + CellGrid.side / 2, candidates.size.width - 1)
    let y = min(top + CellGrid.side / 2, candidates.size.height - 1)
    guard let detections, let sets = agreement.sets(x: x, y: y) else { return false }
    return detections.mean(over: sets[candidate].same & candidates.everyFrame, x: x, y: y) > Self.certainly
  }

  /// Whether most frames show what a candidate shows in a contested cell, and nobody is seen there.
  func showFree(with candidate: Int, in cell: Int) -> Bool {
    2 * frames(with: candidate, in: cell).nonzeroBitCount > candidates.frameCount
      && !showSomebody(with: candidate, in: cell)
  }
}
