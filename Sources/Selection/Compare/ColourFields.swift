import Frames

/// What the frames' colours lack, from place to place, to be the reference's: light that changes, white balance, and what
/// lenses darken.
///
/// Every frame is compared with the median where it shows the same; the differences are averaged by Gaussians from coarse
/// to fine, so that fine ones say what they know and coarse ones fill the rest (normalised convolution: Knutsson and
/// Westin, CVPR 1993). What the reference itself differs by from the median stays: the plate has its colours.
/// Samples that are combined are brought to each other by all of it. The choice of frames is made with the coarse part
/// alone, since a field that follows somebody's faint shade makes his surroundings look alike.
struct ColourFields: Sendable {
  /// Per frame one field a plane of the candidates, in levels of 8 bits; nil for a frame that needs none.
  let frames: [[BlockField]?]
  /// What the median lacks.
  let median: [BlockField]

  /// Levels by which cells that show the same may differ: first, and once a field is known; and those of most frames then.
  private static let reach: (first: Float, then: Float, sure: Float) = (14, 7, 4)
  /// Levels that nobody sees: fields are that much nearer to 0, so that what they know badly does no harm.
  private static let unseen: Float = 0.4
  /// Of the frames that show a cell, at least this share must show what the median does.
  private static let leastBacking: Float = 0.66
  /// How many of the Gaussians, from the widest, are wider than people.
  private static let coarseScales = 3

  /// Fields that are known.
  init(frames: [[BlockField]?], median: [BlockField]) {
    (self.frames, self.median) = (frames, median)
  }

  /// Measures candidates.
  /// - Returns: the fields, and the same as coarse as the choice of frames may know them.
  /// - Throws: `CancellationError`.
  static func measured(in candidates: Candidates, threads: Int) async throws -> (
    coarse: ColourFields, fine: ColourFields
  ) {
    let nothing = (0..<candidates.planeCount).map { _ in BlockField(pictureSize: candidates.size) }
    let cells = try await mapIndices(count: candidates.frameCount, threads: threads) { CellDifferences(candidates, $0) }
    let isBacked = try await backed(in: cells, after: cells.map { _ in nothing }, within: reach.first, threads: threads)
    let all = BlockDifferences.widths.count
    let fields = try await mapIndices(count: cells.count, threads: threads) { frame in
      let first = BlockDifferences(cells[frame], where: isBacked, after: nothing, reach: reach.first).fieldsByScale()
      func fields(scales: Int) -> [BlockField] {
        let first = first[scales - 1]
        // What is small at first needs no second look.
        guard first.contains(where: { $0.strength >= unseen / 2 }) else { return first }
        return BlockDifferences(cells[frame], where: isBacked, after: first, reach: reach.then).fields(scales: scales)
      }
      return (coarse: fields(scales: coarseScales), fine: fields(scales: all))
    }
    let isSure = try await backed(in: cells, after: fields.map(\.fine), within: reach.sure, threads: threads)
    let fine = try await mapIndices(count: cells.count, threads: threads) { frame in
      BlockDifferences(cells[frame], where: isSure, after: fields[frame].fine, reach: reach.then).fields(scales: all)
    }
    return (
      ColourFields(fields.map(\.coarse), reference: candidates.reference),
      ColourFields(fine, reference: candidates.reference)
    )
  }

  /// The cells in which so many frames show what the median does that it is theirs: in a crowd it lies anywhere between the
  /// place and people, and what all lack of it would be missing where the reference does not show the place.
  private static func backed(
    in frames: [CellDifferences], after fields: [[BlockField]], within reach: Float, threads: Int
  ) async throws -> [Bool] {
    let agreeing = try await mapIndices(count: frames.count, threads: threads) { frame in
      var isSame = [Bool](repeating: false, count: frames[frame].isShown.count)
      isSame.withUnsafeMutableBufferPointer { isSame in
        frames[frame].forEachSame(after: fields[frame], within: reach) { cell, _ in isSame[cell] = true }
      }
      return isSame
    }
    return frames[0].isShown.indices.map { cell in
      let showing = frames.count { $0.isShown[cell] }
      return Float(agreeing.count { $0[cell] }) >= leastBacking * Float(showing)
    }
  }

  /// - Parameter fields: what every frame lacks to show what the median does, one field a plane.
  private init(_ fields: [[BlockField]], reference: Int) {
    let own = fields[reference]
    let nothing = BlockField(pictureSize: own[0].pictureSize)
    median = own.map { (nothing - $0).shrunk(by: Self.unseen) }
    frames = fields.indices.map { frame in
      guard frame != reference else { return nil }
      let relative = zip(fields[frame], own).map { ($0 - $1).shrunk(by: Self.unseen) }
      return relative.contains { $0.strength > 0 } ? relative : nil
    }
  }

  /// What a candidate, a frame or the median behind them, lacks at a pixel, in levels.
  func value(of candidate: Int, plane: Int, x: Float, y: Float) -> Float {
    (candidate < frames.count ? frames[candidate] : median)?[plane].value(x: x, y: y) ?? 0
  }
}
