import Frames

/// Brings photos that meet in the plate to one light: where cells follow different candidates, the step between them
/// (`SeamSteps`) is spread over the cells around it.
///
/// What is minimised, plane by plane, is the sum of the squares of what is left of steps at seams, of the steps that arise
/// between cells of one candidate, and, weakly, of what is added at all. Where all speak and the reference's details are kept,
/// so are its colours: phones render a sky otherwise in every photo, so that what all show together meets it with steps as well.
/// (Perez, Gangnet and Blake, "Poisson Image Editing", SIGGRAPH 2003, without a guide but 0; with soft borders, so that
/// a seam at which somebody is cut does not colour what is behind it.)
struct SeamMembrane: Sendable {
  private let candidates: Candidates
  /// Per cell, which candidate it shows.
  private let shown: [Int]
  /// The cells that do not keep their colours, ascending.
  private let free: [Int]
  /// What neighbours ask of free cells, one free cell's after another.
  private let pulls: [Pull]
  /// Where a free cell's pulls begin, and where the last one's end.
  private let starts: [Int]

  /// What a free cell's neighbour asks for: its own value, and the step to it.
  private struct Pull {
    /// The neighbour's position among the free cells; nil for one that keeps its colours.
    let neighbour: Int?
    /// One per plane; nil for none.
    let step: [Float]?
  }

  /// Cells over which a step at a seam fades into what one photo shows.
  private static let width: Float = 12
  /// How much more a step counts that is left at a seam than one between cells of one photo.
  private static let seam: Float = 2
  /// A share of the light that nobody sees.
  private static let unseen: Float = 0.004
  /// Passes over all cells, there and back in turn, by successive over-relaxation with a factor.
  private static let sweeps: (count: Int, factor: Float) = (40, 1.6)

  /// - Parameter choices: one per cell.
  /// - Returns: nil where photos meet without a step.
  init?(joining choices: [CellChoice], _ steps: SeamSteps) {
    candidates = steps.candidates
    let (grid, median, reference) = (candidates.grid, candidates.median, candidates.reference)
    func followsMedian(_ choice: CellChoice) -> Bool { Int(choice.candidate) == median }
    shown = choices.map { Int((followsMedian($0) ? $0.detail : nil) ?? $0.candidate) }
    free = choices.indices.filter { !followsMedian(choices[$0]) || !choices[$0].keepsDetail(of: reference) }
    guard !free.isEmpty else { return nil }
    var positions = [Int?](repeating: nil, count: choices.count)
    for (position, cell) in free.enumerated() { positions[cell] = position }

    var byCell: [[Pull]] = Array(repeating: [], count: free.count)
    var isSeen = false
    for cell in choices.indices {
      for direction in Direction.later {
        guard let other = grid.neighbour(of: cell, direction) else { continue }
        let (own, beyond) = (positions[cell], positions[other])
        guard own != nil || beyond != nil else { continue }
        var step: [Float]?
        if shown[cell] != shown[other] {
          step = steps.step(from: shown[cell], to: shown[other], beside: cell, direction)
          guard let step else { continue }
          isSeen = isSeen || step.contains { abs($0) > Self.unseen }
        }
        if let own { byCell[own].append(Pull(neighbour: beyond, step: step)) }
        if let beyond { byCell[beyond].append(Pull(neighbour: own, step: step?.map { -$0 })) }
      }
    }
    guard isSeen else { return nil }
    pulls = byCell.flatMap { $0 }
    starts = byCell.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
  }

  /// What is added to a plane of the candidates, cell by cell: shares of light, or levels of chroma.
  func values(plane: Int) -> [Float] {
    let isLight = plane == 0 || !candidates.hasChroma
    var values = [Float](repeating: 0, count: shown.count)
    for (cell, share) in zip(free, shares(plane: plane)) where abs(share) > Self.unseen {
      let seen = share - (share > 0 ? Self.unseen : -Self.unseen)
      values[cell] = isLight ? seen : seen * (candidates.brightness(of: shown[cell], in: cell) + Membrane.floor)
    }
    return values
  }

  private func shares(plane: Int) -> [Float] {
    let anchor = 1 / (Self.width * Self.width)
    let weights = pulls.map { $0.step == nil ? 1 : Self.seam }
    let targets = pulls.map { $0.step?[plane] ?? 0 }
    let neighbours = pulls.map { $0.neighbour ?? -1 }
    var shares = [Float](repeating: 0, count: free.count)
    guard targets.contains(where: { $0 != 0 }) else { return shares }
    for sweep in 0..<Self.sweeps.count {
      for turn in free.indices {
        let cell = sweep.isMultiple(of: 2) ? turn : free.count - 1 - turn
        var (sum, weight): (Float, Float) = (0, anchor)
        for pull in starts[cell]..<starts[cell + 1] {
          let neighbour = neighbours[pull] < 0 ? 0 : shares[neighbours[pull]]
          sum += weights[pull] * (neighbour + targets[pull])
          weight += weights[pull]
        }
        shares[cell] += Self.sweeps.factor * (sum / weight - shares[cell])
      }
    }
    return shares
  }
}

extension Candidates {
  /// The mean brightness of a cell as a candidate shows it.
  fileprivate func brightness(of candidate: Int, in cell: Int) -> Float {
    let pixels = grid.pixels(of: cell)
    let sum = pixels.rows.reduce(0) { sum, y in pixels.columns.reduce(sum) { $0 + list[candidate].planes[0][$1, y] } }
    return Float(sum) / Float(pixels.area)
  }
}
