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
    let edges = Edges(of: list[median].gradient, tiles: Self.tiles, from: Self.edge)
    let lacking = try await mapIndices(count: frameCount, threads: threads) { lacked(edges, of: list[$0]) }
    let usual = lacking.sorted()[(lacking.count - 1) / 2]
    return lacking.indices.reduce(0) { set, frame in
      lacking[frame] >= max(Self.lackingShare, Self.unusual * usual) ? set | CandidateSet(only: frame) : set
    }
  }

  /// The share of the median's edges that a frame lacks, in the tile of the picture that is at the lower third: people cover
  /// edges of some tiles, blur takes them from all.
  private func lacked(_ edges: Edges, of frame: Candidate) -> Double {
    var shown = [Int](repeating: 0, count: Self.tiles * Self.tiles)
    var lacked = shown
    for y in 0..<size.height {
      let covered = frame.coverage[y]
      frame.gradient.withUnsafeRow(y, as: UInt8.self) { own in
        for edge in edges.list[edges.rows[y]] where covered.contains(edge.x) {
          shown[Int(edge.tile)] += 1
          if own[Int(edge.x)] < edge.half { lacked[Int(edge.tile)] += 1 }
        }
      }
    }
    let shares = shown.indices.filter { shown[$0] >= Self.fewestEdges }.map { Double(lacked[$0]) / Double(shown[$0]) }
    return shares.count < Self.fewestTiles ? 0 : shares.sorted()[shares.count / 3]
  }
}

/// The pixels of a picture that are edges: few, and the same for all frames that are held against them.
private struct Edges: Sendable {
  struct Edge: BitwiseCopyable {
    let x: Int32
    let tile: UInt8
    /// Half of its step.
    let half: UInt8
  }

  /// Row after row.
  private(set) var list: [Edge] = []
  /// Where those of a row are.
  private(set) var rows: [Range<Int>] = []

  /// - Parameters:
  ///   - gradient: the steps between neighbouring pixels.
  ///   - tiles: across, and down.
  ///   - least: the smallest step that is an edge.
  init(of gradient: Plane, tiles: Int, from least: UInt8) {
    for y in 0..<gradient.height {
      let (start, row) = (list.count, y * tiles / gradient.height * tiles)
      gradient.withUnsafeRow(y, as: UInt8.self) { steps in
        for x in 0..<steps.count where steps[x] >= least {
          list.append(Edge(x: Int32(x), tile: UInt8(row + x * tiles / gradient.width), half: steps[x] / 2))
        }
      }
      rows.append(start..<list.count)
    }
  }
}
