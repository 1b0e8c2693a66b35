import Frames

/// Who stands with a candidate in a cell.
struct Companions: Sendable {
  let candidates: Candidates
  let agreement: Agreement
  /// Whom a detector saw; nil when none looked.
  var detections: Detections?
  /// Of it that nobody stands where the detector saw nobody, 0...1.
  var doubt: Float = 0
  /// Whose outlines tell that they stand in front; nil when nobody was looked for.
  var occluders: Occluders?
  /// What the reference shows displaced, as all frames do; nil when nothing was looked for.
  var nearThings: NearThings?
  /// Who shows streaks of rain or flakes of snow; nil where there are none.
  var precipitation: Precipitation?

  /// Whether the reference shows a near thing in a cell.
  func isNear(_ cell: Int) -> Bool { nearThings?.contains(cell: cell) ?? false }

  /// How surely somebody must be seen in frames on average.
  static let certainly: Float = 0.35
  /// How surely somebody may be expected where nobody is.
  private static let hardly: Float = 0.05

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

  /// Whether a detector sees somebody in the frames that show the same as a candidate at a contested cell's middle, or his
  /// outline tells that he stands there.
  func showSomebody(with candidate: Int, in cell: Int) -> Bool {
    let (x, y) = candidates.grid.middle(of: cell)
    guard let sets = agreement.sets(x: x, y: y) else { return false }
    if let occluders, occluders.certainty(in: cell) > Self.certainly, sets[candidate].same.contains(candidates.median) {
      return true
    }
    guard let detections else { return false }
    return detections.mean(over: sets[candidate].same & candidates.everyFrame, x: x, y: y) > Self.certainly
  }

  /// Whether most frames show what a candidate shows in a contested cell, and nobody is seen there.
  func showFree(with candidate: Int, in cell: Int) -> Bool {
    2 * frames(with: candidate, in: cell).nonzeroBitCount > candidates.frameCount
      && !showSomebody(with: candidate, in: cell)
  }

  /// Whether a detector that sees somebody at a contested cell's middle in the frames that show something else than a candidate
  /// sees nobody in those that show the same, however few they are, and hardly misses anybody.
  func showNobody(with candidate: Int, in cell: Int) -> Bool {
    let (x, y) = candidates.grid.middle(of: cell)
    guard let detections, let sets = agreement.sets(x: x, y: y) else { return false }
    let (same, other) = (sets[candidate].same & candidates.everyFrame, sets[candidate].other & candidates.everyFrame)
    guard same != 0, detections.mean(over: other, x: x, y: y) > Self.certainly else { return false }
    let usual = detections.mean(over: candidates.showing(sets), x: x, y: y)
    return detections.expectation(for: same, usual: usual, doubt: doubt, x: x, y: y) < Self.hardly
  }
}
