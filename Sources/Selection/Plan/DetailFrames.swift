import Frames

/// Whose details are kept where all speak but the reference shows something else than most. Where nothing stands still, it is
/// the reference; where somebody stands before it, one other frame. The median would wash their details away.
struct DetailFrames: Sendable {
  private let candidates: Candidates
  private let noise: [ComparedNoise]
  private let precipitation: Precipitation?
  private let restless: RestlessPlaces
  /// The frames that are asked.
  private let asked: [Int]

  /// A frame is asked to show so much of what surrounds a region as the reference does, so that no edge is left where
  /// the two meet.
  private static let leastAround = 0.75
  /// The median is right if so many frames show the same in so much of a region.
  private static let leastConfirming = 2, leastConfirmed = 0.75
  /// Frames that are asked at most, those taken soonest before and after the reference first.
  private static let mostAsked = 8
  /// Regions or cells that a task takes at once.
  private static let grain = 32

  /// - Parameters:
  ///   - detections: whom a detector saw; nil when none looked.
  ///   - precipitation: who shows streaks of rain or flakes of snow; nil where there are none.
  init(
    candidates: Candidates, noise: [ComparedNoise], detections: Detections?, precipitation: Precipitation? = nil
  ) {
    (self.candidates, self.noise, self.precipitation) = (candidates, noise, precipitation)
    restless = RestlessPlaces(
      candidates: candidates, noise: noise, detections: detections, precipitation: precipitation)
    let reference = candidates.reference
    asked = (0..<candidates.frameCount).filter { $0 != reference }
      .sorted { (abs($0 - reference), $0) < (abs($1 - reference), $1) }
      .prefix(Self.mostAsked).map(\.self)
  }

  /// Gives every region of cells that follow the median without a detail frame the reference, where nothing stands still, or
  /// the one frame that shows what the median does in most of it; and where no frame does, one that shows the same as others.
  /// - Parameter settled: what is known for another choice among the same candidates; nil for nothing.
  /// - Throws: `AllocationError`, `CancellationError`.
  func added(
    to choices: Elements<CellChoice>, reusing settled: Elements<CellChoice>?, threads: Int
  ) async throws -> Elements<CellChoice> {
    let regions = try await regions(in: choices, reusing: settled, threads: threads)
    let details = try await details(of: regions.filter { $0.known == nil }, threads: threads)
    var added = (0..<choices.count).map { choices[$0] }
    var next = details.makeIterator()
    for region in regions {
      for (cell, detail) in zip(region.cells, region.known ?? next.next() ?? []) { added[cell].detail = detail }
    }
    return try Elements(added)
  }

  /// Connected cells that follow the median without a detail frame.
  private struct OpenRegion {
    /// Ascending.
    let cells: [Int]
    /// The cells around it in which the reference shows what was chosen, ascending.
    var around: [Int] = []
    /// By cell, the frame whose details are kept, where that is known.
    var known: [UInt8?]?
    /// By cell, how far the reference departs from the median.
    var departures: [RestlessPlaces.Departure] = []

    /// The reference, unless it departs so far in a cell that it may show somebody.
    func reference(_ reference: Int, at index: Int) -> UInt8? { departures[index] == .far ? nil : UInt8(reference) }
  }

  private func regions(
    in choices: Elements<CellChoice>, reusing settled: Elements<CellChoice>?, threads: Int
  ) async throws -> [OpenRegion] {
    let open = open(choices)
    let known = settled.map { (choices: $0, open: self.open($0)) }
    return try await mapElements(of: open.regions(of: true), grain: Self.grain, threads: threads) { region in
      let cells = region.sorted()
      let around = Set(
        cells.lazy.flatMap { candidates.grid.cells(within: 1, of: $0) }.filter { !open.isSet[$0] }
      ).sorted()
      if let known,
        cells.allSatisfy({ known.open.isSet[$0] }),
        around.allSatisfy({ !known.open.isSet[$0] && isReference(known.choices[$0]) == isReference(choices[$0]) })
      {
        return OpenRegion(cells: cells, known: cells.map { known.choices[$0].detail })
      }
      return OpenRegion(cells: cells, around: around.filter { isReference(choices[$0]) })
    }
  }

  private func isReference(_ choice: CellChoice) -> Bool { choice.keepsDetail(of: candidates.reference) }

  /// The cells that follow the median but not the reference's details.
  private func open(_ choices: Elements<CellChoice>) -> RegionMask {
    RegionMask(
      size: candidates.grid.size,
      isSet: (0..<choices.count).map {
        Int(choices[$0].candidate) == candidates.median && !isReference(choices[$0])
      })
  }

  /// Of each region, by cell, the frame whose details are kept. One region of branches may be as large as all others
  /// together, so that tasks take its cells, and the frames that are asked about it, one by one.
  private func details(of regions: [OpenRegion], threads: Int) async throws -> [[UInt8?]] {
    var departures = try await mapElements(
      of: regions.flatMap(\.cells), grain: Self.grain, threads: threads, restless.departure)[...]
    let regions = regions.map { region in
      var region = region
      region.departures = Array(departures.prefix(region.cells.count))
      departures = departures.dropFirst(region.cells.count)
      return region
    }
    let isRestless = regions.map { RestlessPlaces.keepsReference($0.departures) }
    let others = try await frames(
      for: zip(regions, isRestless).filter { $0.1.contains(false) }.map(\.0), threads: threads)
    var next = others.makeIterator()
    return isRestless.map { isRestless in
      let reference = UInt8(candidates.reference)
      guard isRestless.contains(false), let others = next.next() else { return isRestless.map { _ in reference } }
      return zip(isRestless, others).map { $0 ? reference : $1 }
    }
  }

  /// By cell of each region, the frame whose details are kept where it is not restless.
  private func frames(for regions: [OpenRegion], threads: Int) async throws -> [[UInt8?]] {
    let pairs = regions.flatMap { region in asked.map { (region: region, frame: $0) } }
    let shown = try await mapIndices(count: pairs.count, threads: threads) {
      self.shown(pairs[$0].frame, of: pairs[$0].region)
    }
    var details: [[UInt8?]] = []
    var mixed: [MixedCell] = []
    for (number, region) in regions.enumerated() {
      let shown = Array(shown[(number * asked.count)..<(number + 1) * asked.count])
      details.append(leading(in: region, shown))
      for (index, cell) in region.cells.enumerated()
      where details[number][index] == nil && !shown.contains(where: { $0.inside[index] }) {
        mixed.append(MixedCell(cell: cell, region: number, index: index))
      }
    }
    for (mixed, frame) in zip(mixed, try await commonFrames(for: mixed, threads: threads)) {
      details[mixed.region][mixed.index] =
        frame ?? regions[mixed.region].reference(candidates.reference, at: mixed.index)
    }
    return details
  }

  /// A cell in which no frame that is asked shows what the median does.
  private struct MixedCell {
    let cell: Int
    let region: Int
    /// Among the region's cells.
    let index: Int
  }

  /// By cell, the frame whose details are kept as others show the same.
  private func commonFrames(for mixed: [MixedCell], threads: Int) async throws -> [UInt8?] {
    let common = CommonDetails(candidates: candidates, noise: noise, asked: asked)
    let backers = try await mapElements(of: mixed.map(\.cell), grain: Self.grain, threads: threads, common.backers)
    let positions = Dictionary(uniqueKeysWithValues: mixed.enumerated().map { ($0.element.cell, $0.offset) })
    var frames = [UInt8?](repeating: nil, count: mixed.count)
    for place in RegionMask(size: candidates.grid.size, pixels: positions.keys).regions(of: true) {
      let place = place.sorted().compactMap { positions[$0] }
      for (position, frame) in zip(place, common.frames(backedBy: place.map { backers[$0] })) {
        frames[position] = frame
      }
    }
    return frames
  }

  /// What a frame shows of a region.
  private struct Shown {
    /// By cell, whether it is what the median shows.
    let inside: [Bool]
    /// In how many it is.
    let count: Int
    /// Cells around it in which the frame shows what the reference does.
    let around: Int
  }

  private func shown(_ frame: Int, of region: OpenRegion) -> Shown {
    let inside = runs(region.cells).flatMap {
      candidates.showsMedian(frame, cells: $0, noise, but: precipitation)
    }
    let around = runs(region.around).flatMap { candidates.shows(frame, candidates.reference, cells: $0, noise) }
    return Shown(inside: inside, count: inside.count { $0 }, around: around.count { $0 })
  }

  /// By cell of a region, the one frame that shows what the median does in most of it, as far as it does. Where none meets the
  /// reference around it, and no two tell that the median is right, the reference.
  /// - Parameter shown: what each frame that is asked shows.
  private func leading(in region: OpenRegion, _ shown: [Shown]) -> [UInt8?] {
    let meeting = shown.indices.filter {
      Double(shown[$0].around) >= Self.leastAround * Double(region.around.count)
    }
    func count(_ index: Int) -> Int { shown[index].count + shown[index].around }
    if let best = meeting.max(by: { (count($0), -$0) < (count($1), -$1) }), count(best) > 0 {
      return shown[best].inside.map { $0 ? UInt8(asked[best]) : nil }
    }
    let confirming = shown.count { Double($0.count) >= Self.leastConfirmed * Double(region.cells.count) }
    guard confirming < Self.leastConfirming else { return region.cells.map { _ in nil } }
    return region.cells.indices.map { region.reference(candidates.reference, at: $0) }
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
