import Frames

/// Compares motions by what they make of the same places, by brightness: of two that agree nearly everywhere, because
/// windows repeat, the right one wins where windows differ.
struct GreyContest: Sendable {
  let frame: SmallPicture
  let reference: SmallPicture

  /// Sides of the pictures that are compared lie between this and its half, if the frame has as many pixels.
  static let side = 720
  /// Samples of a cell's side.
  private static let cell = 12
  /// Levels by which means of 3x3 samples differ where they show different things.
  private static let difference = 25.0
  /// Levels that may be clipped.
  private static let clipped = 248
  /// The shares of a cell's samples that differ: at most where a motion is right there, at least where it is wrong.
  private static let (right, wrong) = (0.04, 0.15)

  /// What one motion makes of every cell.
  struct Outcome: Sendable {
    /// The share of the cell's samples that differ; nil where the frame does not show it.
    var cells: [Double?]
    /// Cells side by side.
    var columns: Int
  }

  /// How two motions compare.
  struct Score: Sendable {
    /// Cells in which only the one or only the other is right.
    var (onlyA, onlyB) = (0, 0)
    /// The share of blocks of cells in some of which only the first is right: people fill few of them.
    var spread = 0.0
    /// For each band across the picture, by how many cells the first is right oftener than the other.
    var leads = [Int](repeating: 0, count: GreyContest.bands)

    /// The share of some bands in which the first leads.
    func reach(over bands: [Bool]) -> Double {
      let led = zip(leads, bands).count { $0 > 0 && $1 }
      return Double(led) / Double(max(bands.count(where: \.self), 1))
    }
  }

  /// Cells of a block's side.
  private static let block = 3
  /// Bands across the picture: whoever walks fills those of the ground, what stands all.
  private static let bands = 6
  /// Levels between the darkest and the brightest sample of a cell that shows something ...
  private static let contrast = 50
  /// ... and the share of such cells in a band in which motions could be told apart.
  private static let detail = 0.1

  /// - Parameter map: frame to reference, proxy pixels.
  func outcome(along map: Homography) -> Outcome {
    let columns = max(reference.size.width / Self.cell, 1)
    let rows = max(reference.size.height / Self.cell, 1)
    guard let warped = frame.warped(by: map, onto: reference) else {
      return Outcome(cells: Array(repeating: nil, count: columns * rows), columns: columns)
    }
    let gain = gain(warped)
    return Outcome(
      cells: (0..<columns * rows).map { index in
        share(warped, gain, x: index % columns * Self.cell, y: index / columns * Self.cell)
      }, columns: columns)
  }

  /// Compares what two motions make of the cells that both show.
  static func score(_ a: Outcome, _ b: Outcome) -> Score {
    var score = Score()
    let across = a.columns / block + 1
    let rows = a.cells.count / max(a.columns, 1)
    var blocks = [Bool](repeating: false, count: across * (rows / block + 1))
    var won = blocks
    for (index, pair) in zip(a.cells, b.cells).enumerated() {
      guard let a1 = pair.0, let b1 = pair.1 else { continue }
      let place = index / a.columns / block * across + index % a.columns / block
      let band = index / a.columns * bands / rows
      blocks[place] = true
      if a1 <= right && b1 >= wrong {
        score.onlyA += 1
        score.leads[band] += 1
        won[place] = true
      }
      if b1 <= right && a1 >= wrong {
        score.onlyB += 1
        score.leads[band] -= 1
      }
    }
    score.spread = Double(won.count(where: \.self)) / Double(max(blocks.count(where: \.self), 1))
    return score
  }

  /// The bands of the reference in which motions could be told apart: not those of a plain sky.
  func bandsWithDetail() -> [Bool] {
    let (columns, rows) = (reference.size.width / Self.cell, reference.size.height / Self.cell)
    var (cells, detailed) = ([Int](repeating: 0, count: Self.bands), [Int](repeating: 0, count: Self.bands))
    for index in 0..<columns * rows {
      let band = index / columns * Self.bands / rows
      cells[band] += 1
      if isDetailed(x: index % columns * Self.cell, y: index / columns * Self.cell) { detailed[band] += 1 }
    }
    return zip(detailed, cells).map { Double($0) > Self.detail * Double($1) }
  }

  private func isDetailed(x left: Int, y top: Int) -> Bool {
    var (least, most) = (255, 0)
    for y in top..<top + Self.cell {
      for x in left..<left + Self.cell {
        let sample = Int(reference.samples[y * reference.size.width + x])
        (least, most) = (min(least, sample), max(most, sample))
      }
    }
    return most - least > Self.contrast
  }

  /// What the frame's samples are multiplied by to match the reference's; see `outcome(along:)`.
  func gain(along map: Homography) -> Double {
    frame.warped(by: map, onto: reference).map(gain) ?? 1
  }

  /// The ratio of brightness that most cells agree on.
  private func gain(_ warped: WarpedPicture) -> Double {
    var ratios: [Double] = []
    let size = reference.size
    for y in stride(from: 4, to: size.height - 4, by: Self.cell) {
      for x in stride(from: 4, to: size.width - 4, by: Self.cell) where warped.spans[y].contains(x) {
        let p = y * size.width + x
        let (a, b) = (box(reference, p), box(warped.picture, p))
        guard a > 9 * 12, b > 9 * 12, a < 9 * Self.clipped, b < 9 * Self.clipped else { continue }
        ratios.append(Double(a) / Double(b))
      }
    }
    return ratios.count >= 12 ? median(ratios) : 1
  }

  /// The sum of 3x3 samples.
  private func box(_ picture: SmallPicture, _ p: Int) -> Int {
    let width = picture.size.width
    return picture.samples.withUnsafeBufferPointer { samples in
      var sum = 0
      for q in [p - width, p, p + width] { sum += Int(samples[q - 1]) + Int(samples[q]) + Int(samples[q + 1]) }
      return sum
    }
  }

  private func share(_ warped: WarpedPicture, _ gain: Double, x left: Int, y top: Int) -> Double? {
    let size = reference.size
    var (seen, different) = (0, 0)
    for y in stride(from: max(top, 1), to: min(top + Self.cell, size.height - 1), by: 2) {
      for x in stride(from: max(left, 1), to: min(left + Self.cell, size.width - 1), by: 2)
      where warped.spans[y].contains(x) {
        let p = y * size.width + x
        let (a, b) = (box(reference, p), box(warped.picture, p))
        seen += 1
        // What is clipped in one of them is at least as bright in the other.
        if a >= 9 * Self.clipped && gain * Double(b) >= Double(a) { continue }
        if b >= 9 * Self.clipped && Double(a) >= gain * Double(b) { continue }
        if abs(Double(a) - gain * Double(b)) > 9 * Self.difference { different += 1 }
      }
    }
    return seen >= Self.cell * Self.cell / 6 ? Double(different) / Double(seen) : nil
  }
}
