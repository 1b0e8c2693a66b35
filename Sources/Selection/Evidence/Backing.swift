/// How much it says for a candidate that some frames show the same.
///
/// Counts a frame once per stretch of time, or nearly: a run of n frames counts sqrt(n), so that somebody who lingers
/// does not outvote a wall that is seen again and again.
struct Backing: Sendable {
  private let frames: Int
  private let roots = (0...Candidates.mostFrames).map { Float($0).squareRoot() }

  init(frames: Int) { self.frames = frames }

  func callAsFunction(_ set: CandidateSet) -> Float {
    var sum: Float = 0
    var left = set & ((1 &<< CandidateSet(truncatingIfNeeded: frames)) &- 1)
    while left != 0 {
      left &>>= CandidateSet(truncatingIfNeeded: left.trailingZeroBitCount)
      let run = (~left).trailingZeroBitCount
      sum += roots[run]
      left &>>= CandidateSet(truncatingIfNeeded: run)
    }
    return sum
  }
}
