import Frames

/// Where what most frames show stands before what a few others show: whoever stays through nearly all of a burst.
///
/// An outline belongs to what stands in front, since the ground behind goes on without it (Rubin's figure and ground; border
/// ownership). Along a single cell chance may decide whose the edges are, but hardly around all of a place: what its whole outline
/// tells counts at each of its pixels. Edges along borders alone would not do, since a place's outline grows with its width, and
/// what speaks for the many frames that show it with its area: whoever stands close would win by his size.
struct Occluders: Sendable {
  /// By cell, 0...1.
  private let certainties: [Float]

  /// Cells of a place at least. Of smaller ones edges tell enough, and they are often parts of somebody who stays.
  private static let fewestCells = 60
  /// Frames that must show the same behind: one alone may show anything.
  private static let fewestFrames = 2
  /// By how much, of their strength, what most frames show has more of the edges along the outline, from where on that tells
  /// something, and from where on all.
  private static let excess: ClosedRange<Float> = 0.05...0.15
  /// Borders that a place must have before they tell half of what they say.
  private static let doubt: Float = 16
  /// How alike the steps from pixel to pixel are, as their correlation, from where on two candidates show the same in another
  /// light: whoever is lit best has the strongest edges.
  private static let relit = 0.5

  /// - Parameters:
  ///   - borders: between the candidates, in the cells of the agreement.
  ///   - soft: frames that lack edges all over the picture, behind which nobody can be looked for.
  ///   - threads: tasks that work at once; the result does not depend on it.
  /// - Throws: `CancellationError`.
  init(
    of candidates: Candidates, _ agreement: Agreement, _ borders: Borders, soft: CandidateSet, threads: Int
  ) async throws {
    let behind = (0..<candidates.frameCount).filter { !soft.contains($0) }
    let found = try await mapIndices(count: behind.count, threads: threads) {
      Self.places(before: behind[$0], candidates, agreement, borders)
    }
    var certainties = [Float](repeating: 0, count: candidates.grid.count)
    for place in found.joined() {
      for cell in place.cells { certainties[cell] = max(certainties[cell], place.certainty) }
    }
    self.certainties = certainties
  }

  /// How surely what most frames show in a cell stands before what others show, 0...1.
  func certainty(in cell: Int) -> Float { certainties[cell] }

  /// The places where the median shows something else than a frame, as far as it stands before that.
  private static func places(
    before frame: Int, _ candidates: Candidates, _ agreement: Agreement, _ borders: Borders
  ) -> [(cells: [Int], certainty: Float)] {
    let (cells, grid) = (agreement.cells, candidates.grid)
    var differing = RegionMask(size: grid.size)
    // Where others show the same as the frame.
    var shared = differing
    for (k, cell) in cells.cells.enumerated() {
      let sets = agreement.sets(inMiddleOf: k)[frame]
      guard sets.other.contains(candidates.median) else { continue }
      differing.isSet[cell] = true
      shared.isSet[cell] = (sets.same & candidates.everyFrame).nonzeroBitCount >= fewestFrames
    }
    func certain(_ place: [Int]) -> (cells: [Int], certainty: Float)? {
      let certainty = certainty(of: place, before: frame, candidates, cells, borders)
      return certainty > 0 ? (place, certainty) : nil
    }
    return differing.regions(of: true).flatMap { place -> [(cells: [Int], certainty: Float)] in
      let known = place.filter { shared.isSet[$0] }
      guard known.count >= fewestCells else { return [] }
      // Where others are hidden by passers-by the frame alone goes on with what it shares with them.
      if 2 * known.count >= place.count, let whole = certain(place) { return [whole] }
      return RegionMask(size: grid.size, pixels: known).regions(of: true)
        .filter { $0.count >= fewestCells }.compactMap(certain)
    }
  }

  /// How surely what the median shows at a place stands before what a frame shows, 0...1.
  private static func certainty(
    of place: [Int], before frame: Int, _ candidates: Candidates, _ cells: ContestedCells, _ borders: Borders
  ) -> Float {
    let outline = RegionMask(size: cells.grid.size, pixels: place).grown(by: 1)
    var (sum, count) = (0, 0)
    for k in cells.cells.indices where outline.isSet[cells.cells[k]] {
      let border = borders.between(frame, candidates.median, in: k, of: candidates)
      sum -= Int(border.excess)
      count += Int(border.count)
    }
    let mean = Float(sum) / Float(Borders.shareUnit) / (Float(count) + doubt)
    let certainty = min((mean - excess.lowerBound) / (excess.upperBound - excess.lowerBound), 1)
    return certainty > 0 && candidates.likeness(of: frame, candidates.median, in: place) < relit ? certainty : 0
  }
}

extension Candidates {
  /// The correlation of two candidates' steps in brightness from pixel to pixel, across and down, in some cells: 1 where both show
  /// the same, in whatever light, 0 where they have nothing in common, or nothing but noise.
  fileprivate func likeness(of first: Int, _ second: Int, in cells: [Int]) -> Double {
    let (one, other) = (list[first].planes[0], list[second].planes[0])
    var (both, own, others) = (0, 0, 0)
    for cell in cells {
      let (left, top) = grid.origin(of: cell)
      for y in top..<min(top + CellGrid.side, size.height - 1) {
        for x in left..<min(left + CellGrid.side, size.width - 1) {
          let (a, b) = (Int(one[x, y]), Int(other[x, y]))
          for (u, v) in [(x + 1, y), (x, y + 1)] {
            let (stepOfOne, stepOfOther) = (Int(one[u, v]) - a, Int(other[u, v]) - b)
            both += stepOfOne * stepOfOther
            own += stepOfOne * stepOfOne
            others += stepOfOther * stepOfOther
          }
        }
      }
    }
    let strength = (Double(own) * Double(others)).squareRoot()
    return strength > 0 ? Double(both) / strength : 0
  }
}
