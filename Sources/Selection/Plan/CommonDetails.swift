import Frames

/// Whose details are kept where the median is put together of several frames, so that none shows what it does: one frame's that
/// shows the same as some others.
///
/// The light of photos differs, and with every passer-by it changes who is the middle one: his outline would be seen. And who
/// stands there in most photos, hardly moving, would be washed away.
struct CommonDetails: Sendable {
  let candidates: Candidates
  let noise: [ComparedNoise]
  /// The frames that may be followed, those taken soonest before and after the reference first.
  let asked: [Int]

  /// Frames that must show the same, and the share of those that show the place: what one shows alone is no better than the
  /// median, and of many, some are alike by chance, or show who comes back.
  private static let together = (frames: 2, share: 1.0 / 3)
  /// A frame may be followed that is backed by so much of those who back the one with most: by one less where there are four.
  private static let leastBacked = 0.75

  /// How many frames show in a cell what each of those that are asked shows, itself among them; 0 for those that may not be
  /// followed. Nobody may where a frame shows what the median does, or as many show something else.
  func backers(in cell: Int) -> [Int] {
    let frames = 0..<candidates.frameCount
    func shows(_ frame: Int, _ candidate: Int) -> Bool {
      candidates.shows(frame, candidate, cells: cell..<cell + 1, noise)[0]
    }
    let nobody = asked.map { _ in 0 }
    guard !frames.contains(where: { shows($0, candidates.median) }) else { return nobody }
    let sets = asked.map { frame in
      frames.reduce(CandidateSet(only: frame)) { set, other in
        other != frame && shows(frame, other) ? set | CandidateSet(only: other) : set
      }
    }
    let covering = frames.count { candidates.coversAround(cell, frame: $0) }
    let most = sets.map(\.nonzeroBitCount).max() ?? 0
    let leading = asked.indices.filter { sets[$0].nonzeroBitCount == most }
    let shared = leading.reduce(candidates.everyFrame) { $0 & sets[$1] }
    guard most >= Self.together.frames, Double(most) >= Self.together.share * Double(covering),
      leading.allSatisfy({ shared.contains(asked[$0]) })
    else { return nobody }
    return asked.indices.map {
      let count = sets[$0].nonzeroBitCount
      return shared.contains(asked[$0]) && Double(count) >= Self.leastBacked * Double(most) ? count : 0
    }
  }

  /// Shares the cells of a place out among few frames: the one that is backed most in all of them together comes first.
  /// - Parameter backers: by cell, as `backers(in:)` counts them.
  /// - Returns: by cell, the frame that is followed; nil where none may be.
  func frames(backedBy backers: [[Int]]) -> [UInt8?] {
    var frames = [UInt8?](repeating: nil, count: backers.count)
    var open = Array(backers.indices)
    while !open.isEmpty {
      let sums = asked.indices.map { index in open.reduce(0) { $0 + backers[$1][index] } }
      guard let most = sums.max(), most > 0, let best = sums.firstIndex(of: most) else { break }
      for cell in open where backers[cell][best] > 0 { frames[cell] = UInt8(asked[best]) }
      open.removeAll { frames[$0] != nil }
    }
    return frames
  }
}
