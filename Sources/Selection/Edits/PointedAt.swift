import Frames

/// Finds what somebody means who points at a place of a plate.
struct PointedAt: Sendable {
  let candidates: Candidates
  let agreement: Agreement
  let energy: Energy
  /// The plate: a candidate for each contested cell.
  let choice: [UInt8]
  let detector: Detector?
  let pictures: SmallPictures
  let departures: Departures

  /// How far around the point the frame must be taken at least, in cells: one after another is tried.
  private static let reaches = [1, 2, 4, 8, 16, 32, 64]
  /// The share of a seam that may show.
  private static let hardly = 0.1
  /// What it costs to change: so little that whole people are changed rather than pieces of them.
  private static let change = PlaceCut.Change(cell: 0, pixel: 0.00025)

  /// A frame that is to show cells of the plate; no cells where the plate is as wanted.
  struct Change: Sendable {
    var frame: Int
    var cells: RegionMask
  }

  /// What an edit means by a point: as much of the plate around it as it takes for the frame's version to fit in without a
  /// seam that need not be.
  /// - Parameters:
  ///   - point: in pixels of the reference.
  ///   - frame: that the edit is about.
  /// - Throws: `EditError`, `ShimError`, `CancellationError`.
  func change(for edit: Edit, at point: Point, frame: Int, threads: Int) async throws -> Change {
    let pixel = candidates.pixel(at: point, pictures)
    if case .keep = edit,
      let box = try await detector?.box(around: pixel, in: candidates, frame: frame, threads: threads)
    {
      return Change(frame: frame, cells: candidates.grid.cells(of: box))
    }
    let near = candidates.grid.cells(around: pixel).filter {
      differing(from: frame, in: $0) & candidates.everyFrame != 0
    }
    guard !near.isEmpty else {
      let doAllAgree = candidates.grid.cells(around: pixel).allSatisfy {
        Int(departures.agreeing[$0]) >= candidates.frameCount
      }
      if doAllAgree { throw EditError.nothingDiffers(point) }
      // This frame is one of the many that the plate shows.
      return Change(frame: frame, cells: mask([]))
    }
    if case .remove = edit { return try await removal(of: frame, from: near, threads: threads) }
    guard let cut = try cut(at: pixel, to: frame) else {
      throw EditError.notShown(frame: pictures.frames[frame].frame.name)
    }
    return Change(frame: frame, cells: mask(cut.cells))
  }

  /// The frame that frees the plate best of whom `shown` shows.
  /// - Parameter cells: in which others show something else.
  private func removal(of shown: Int, from cells: [Int], threads: Int) async throws -> Change {
    // Where the plate shows him, too.
    guard let start = cells.first(where: { !differing(from: shown, in: $0).contains(candidate(at: $0)) }) else {
      return Change(frame: shown, cells: mask([]))
    }
    let others = differing(from: shown, in: start)
    let pixel = candidates.grid.origin(of: start)
    let cuts = try await mapIndices(count: candidates.frameCount, threads: threads) { frame in
      others.contains(frame) ? try cut(at: pixel, to: frame) : nil
    }
    guard let best = cuts.compactMap(\.self).min(by: { $0.visible.all < $1.visible.all }) else {
      throw EditError.nobodyElse
    }
    return Change(frame: Int(best.frame), cells: mask(best.cells))
  }

  /// How a frame's version of what is at a pixel fits in: as much of it as must be taken at least grows from a speck until
  /// hardly anything of the seam shows. No cells where the plate shows the same; nil where the frame shows nothing.
  private func cut(at pixel: (x: Int, y: Int), to frame: Int) throws -> PlaceCut.Cut? {
    let grid = candidates.grid
    var isOther = RegionMask(size: grid.size)
    for (k, cell) in energy.cells.cells.enumerated() {
      isOther.isSet[cell] = differing(from: frame, in: cell).contains(Int(choice[k]))
    }
    guard let start = candidates.grid.cells(around: pixel).first(where: { isOther.isSet[$0] }),
      let whole = isOther.regions(of: true, joinedOver: .square(1)).first(where: { $0.contains(start) })
    else { return PlaceCut.Cut(frame: UInt8(frame)) }
    let cutting = PlaceCut(
      candidates: candidates, agreement: agreement, energy: energy, choice: choice, change: Self.change,
      window: PlaceCut.Window(columns: -1..<grid.columns + 1, rows: -1..<grid.rows + 1, energy))
    var best: (cut: PlaceCut.Cut, shown: Double)?
    for reach in Self.reaches {
      let seed = whole.filter { grid.distance(of: $0, to: start) <= reach }
      guard let cut = try cutting.cut(seed.compactMap { energy.cells.position(of: $0) }, to: frame) else { break }
      let shown = cut.visible.seam / Double(max(mask(cut.cells).outline * CellGrid.side, 1))
      if best.map({ shown < $0.shown }) ?? true { best = (cut, shown) }
      if shown <= Self.hardly || seed.count == whole.count { break }
    }
    return best?.cut
  }

  /// What the plate follows in a cell.
  private func candidate(at cell: Int) -> Int {
    energy.cells.position(of: cell).map { Int(choice[$0]) } ?? candidates.median
  }

  private func mask(_ contested: [Int]) -> RegionMask {
    var mask = RegionMask(size: candidates.grid.size)
    for k in contested { mask.isSet[energy.cells.cells[k]] = true }
    return mask
  }

  /// The candidates that show something else than one does, in at least a quarter of a cell's pixels.
  private func differing(from one: Int, in cell: Int) -> CandidateSet { agreement.differing(from: one, in: cell) }
}

extension CellGrid {
  /// Cells around a point in which something is looked for: fingers are blunt.
  private static let reach = 2

  /// The cells around a pixel, the nearest first.
  func cells(around pixel: (x: Int, y: Int)) -> [Int] {
    let centre = cell(x: pixel.x, y: pixel.y)
    return cells(within: Self.reach, of: centre).sorted {
      (distance(of: $0, to: centre), $0) < (distance(of: $1, to: centre), $1)
    }
  }

  /// The larger of the steps across and down between two cells.
  func distance(of cell: Int, to other: Int) -> Int {
    max(abs(column(of: cell) - column(of: other)), abs(row(of: cell) - row(of: other)))
  }
}

extension RegionMask {
  /// The sides between a set pixel and one that is not.
  fileprivate var outline: Int {
    isSet.indices.reduce(0) { sum, pixel in
      let right = pixel % size.width + 1 < size.width && isSet[pixel] != isSet[pixel + 1]
      let below = pixel / size.width + 1 < size.height && isSet[pixel] != isSet[pixel + size.width]
      return sum + (right ? 1 : 0) + (below ? 1 : 0)
    }
  }
}

extension Agreement {
  /// The candidates that show something else than one does, in at least a quarter of a cell's pixels.
  func differing(from one: Int, in cell: Int) -> CandidateSet {
    guard cells.position(of: cell) != nil else { return 0 }
    let pixels = cells.grid.pixels(of: cell)
    var counts = SIMD32<UInt8>.zero
    for y in pixels.rows {
      for x in pixels.columns {
        guard let sets = sets(x: x, y: y), sets[one].same != 0 else { continue }
        for candidate in 0..<count where sets[candidate].same != 0 && !sets[one].same.contains(candidate) {
          counts[candidate] += 1
        }
      }
    }
    return (0..<count).reduce(0) { 4 * Int(counts[$1]) >= pixels.area ? $0 | CandidateSet(only: $1) : $0 }
  }

  /// The candidates that show what one shows over most of those cells in which anybody differs from it.
  func showing(the one: Int, over cells: RegionMask) -> CandidateSet {
    var counts = [Int](repeating: 0, count: count)
    var all = 0
    for cell in cells.isSet.indices where cells.isSet[cell] {
      let others = differing(from: one, in: cell)
      guard others != 0 else { continue }
      all += 1
      for candidate in counts.indices where others.contains(candidate) { counts[candidate] += 1 }
    }
    // Where all are alike, all show it.
    return counts.indices.reduce(CandidateSet(only: one)) {
      all == 0 || 2 * counts[$1] < all ? $0 | CandidateSet(only: $1) : $0
    }
  }
}
