import Frames

extension Candidates {
  /// Steps between neighbouring pixels of the median that are edges, in levels.
  private static let edge: UInt8 = 16
  /// The share of those edges that a frame lacks from which on it may be soft.
  private static let lackingShare = 0.06
  /// Tiles across and down the picture, edges that one must have to tell something, and how many must tell.
  private static let tiles = 8
  private static let fewestEdges = 40
  private static let fewestTiles = 12
  /// And so many times what frames usually lack, who have people standing before edges.
  private static let unusual = 3.0

  /// Frames that lack edges all over the picture that most have: blurred, if only in one direction, enlarged, or displaced.
  ///
  /// They may back what others show, but nobody should follow them: that edges are lacking would tell for them where it tells
  /// against people.
  /// - Throws: `CancellationError`.
  func softFrames(threads: Int) async throws -> CandidateSet {
    let lacking = try await mapIndices(count: frameCount, threads: threads) { lackedEdges(of: list[$0]) }
    let usual = lacking.sorted()[(lacking.count - 1) / 2]
    return lacking.indices.reduce(0) { set, frame in
      lacking[frame] >= max(Self.lackingShare, Self.unusual * usual) ? set | CandidateSet(only: frame) : set
    }
  }

  /// The share of the median's edges that a frame lacks, in the tile of the picture that is at the lower third: people cover
  /// edges of some tiles, blur takes them from all.
  private func lackedEdges(of frame: Candidate) -> Double {
    var edges = [Int](repeating: 0, count: Self.tiles * Self.tiles)
    var lacked = edges
    for y in 0..<size.height {
      let covered = frame.coverage[y]
      let row = y * Self.tiles / size.height * Self.tiles
      list[median].gradient.withUnsafeRow(y, as: UInt8.self) { usual in
        frame.gradient.withUnsafeRow(y, as: UInt8.self) { own in
          for x in Int(covered.lowerBound)..<Int(covered.upperBound) where usual[x] >= Self.edge {
            let tile = row + x * Self.tiles / size.width
            edges[tile] += 1
            if own[x] < usual[x] / 2 { lacked[tile] += 1 }
          }
        }
      }
    }
    let shares = edges.indices.filter { edges[$0] >= Self.fewestEdges }.map { Double(lacked[$0]) / Double(edges[$0]) }
    return shares.count < Self.fewestTiles ? 0 : shares.sorted()[shares.count / 3]
  }
}
