import Frames

/// Whose details are kept where all speak but the reference shows something else than most. Where nothing stands still, it is
/// the reference; where somebody stands before it, one other frame. The median would wash their details away.
struct DetailFrames: Sendable {
  private let candidates: Candidates
  private let noise: [ComparedNoise]
  private let restless: RestlessPlaces
  /// The frames that are asked.
  private let asked: [Int]

  /// A frame is asked to show so much of what surrounds a region as the reference does, so that no edge is left where
  /// the two meet.
  private static let leastAround = 0.75
  /// Frames that are asked at most, those taken soonest before and after the reference first.
  private static let mostAsked = 8
  /// Regions that a task takes at once.
  private static let grain = 32

  /// - Parameter detections: whom a detector saw; nil when none looked.
  init(candidates: Candidates, noise: [ComparedNoise], detections: Detections?) {
    (self.candidates, self.noise) = (candidates, noise)
    restless = RestlessPlaces(candidates: candidates, noise: noise, detections: detections)
    let reference = candidates.reference
    asked = (0..<candidates.frameCount).filter { $0 != reference }
      .sorted { (abs($0 - reference), $0) < (abs($1 - reference), $1) }
      .prefix(Self.mostAsked).map(\.self)
  }

  /// Gives every region of cells that follow the median without a detail frame the reference, where nothing stands still, or
  /// the one frame that shows what the median does in most of it.
  /// - Parameter settled: what is known for another choice among the same candidates; nil for nothing.
  /// - Throws: `AllocationError`, `CancellationError`.
  func added(
    to choices: Elements<CellChoice>, reusing settled: Elements<CellChoice>?, threads: Int
  ) async throws -> Elements<CellChoice> {
    let grid = candidates.grid
    let open = open(choices)
    let known = settled.map { (choices: $0, open: self.open($0)) }
    let regions = open.regions(of: true)
    let tasks = (regions.count + Self.grain - 1) / Self.grain
    let details = try await mapIndices(count: tasks, threads: threads) { task in
      regions[task * Self.grain..<min((task + 1) * Self.grain, regions.count)].map { region in
        // Cells around it, and those of them in which the reference shows what was chosen.
        let around = Set(region.flatMap { grid.cells(within: 1, of: $0) }).filter { !open.isSet[$0] }.sorted()
        func isReference(_ choice: CellChoice) -> Bool { choice.keepsDetail(of: candidates.reference) }
        if let known,
          region.allSatisfy({ known.open.isSet[$0] }),
          around.allSatisfy({
            !known.open.isSet[$0] && isReference(known.choices[$0]) == isReference(choices[$0])
          })
        {
          return region.map { known.choices[$0].detail }
        }
        let moved = restless.cells(of: region)
        let others =
          moved.count < region.count ? chosen(for: region, around: around.filter { isReference(choices[$0]) }) : []
        return region.indices.map { moved.contains(region[$0]) ? UInt8(candidates.reference) : others[$0] }
      }
    }
    var added = (0..<choices.count).map { choices[$0] }
    for (region, details) in zip(regions, details.joined()) {
      for (cell, detail) in zip(region, details) { added[cell].detail = detail }
    }
    return try Elements(added)
  }

  /// The cells that follow the median but not the reference's details.
  private func open(_ choices: Elements<CellChoice>) -> RegionMask {
    RegionMask(
      size: candidates.grid.size,
      isSet: (0..<choices.count).map {
        Int(choices[$0].candidate) == candidates.median && !choices[$0].keepsDetail(of: candidates.reference)
      })
  }

  /// Per cell of a region, the frame whose details are kept.
  private func chosen(for region: [Int], around: [Int]) -> [UInt8?] {
    let (inside, outside) = (runs(region.sorted()), runs(around))
    var best: (count: Int, frame: Int, shown: Set<Int>)?
    for frame in asked {
      let joined = cells(of: outside, in: frame, showing: candidates.reference).count
      guard Double(joined) >= Self.leastAround * Double(around.count) else { continue }
      let shown = cells(of: inside, in: frame, showing: candidates.median)
      if shown.count + joined > best?.count ?? 0 { best = (shown.count + joined, frame, shown) }
    }
    return region.map { cell in best.flatMap { $0.shown.contains(cell) ? UInt8($0.frame) : nil } }
  }

  private func cells(of runs: [Range<Int>], in frame: Int, showing candidate: Int) -> Set<Int> {
    var result: Set<Int> = []
    for run in runs {
      for (cell, isShown) in zip(run, candidates.shows(frame, candidate, cells: run, noise)) where isShown {
        result.insert(cell)
      }
    }
    return result
  }

  /// Ascending cells as runs of neighbours in a row.
  private func runs(_ cells: [Int]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for cell in cells {
      if let last = runs.last, last.upperBound == cell, cell % candidates.grid.columns != 0 {
        runs[runs.count - 1] = last.lowerBound..<cell + 1
      } else {
        runs.append(cell..<cell + 1)
      }
    }
    return runs
  }
}
