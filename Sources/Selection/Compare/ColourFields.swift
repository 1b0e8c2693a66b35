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
    let isBacked = backed(in: cells, after: cells.map { _ in nothing }, within: reach.first)
    let all = Differences.widths.count
    let fields = try await mapIndices(count: cells.count, threads: threads) { frame in
      let differences = Differences(cells[frame], where: isBacked, after: nothing, reach: reach.first)
      func fields(scales: Int) -> [BlockField] {
        let first = differences.fields(scales: scales)
        // What is small at first needs no second look.
        guard first.contains(where: { $0.strength >= unseen / 2 }) else { return first }
        return Differences(cells[frame], where: isBacked, after: first, reach: reach.then).fields(scales: scales)
      }
      return (coarse: fields(scales: coarseScales), fine: fields(scales: all))
    }
    let isSure = backed(in: cells, after: fields.map(\.fine), within: reach.sure)
    let fine = try await mapIndices(count: cells.count, threads: threads) { frame in
      Differences(cells[frame], where: isSure, after: fields[frame].fine, reach: reach.then).fields(scales: all)
    }
    return (
      ColourFields(fields.map(\.coarse), reference: candidates.reference),
      ColourFields(fine, reference: candidates.reference)
    )
  }

  /// The cells in which so many frames show what the median does that it is theirs: in a crowd it lies anywhere between the
  /// place and people, and what all lack of it would be missing where the reference does not show the place.
  private static func backed(
    in frames: [CellDifferences], after fields: [[BlockField]], within reach: Float
  ) -> [Bool] {
    frames[0].isShown.indices.map { cell in
      var (showing, agreeing) = (0, 0)
      for (frame, fields) in zip(frames, fields) where frame.isShown[cell] {
        showing += 1
        if frame.isSame(cell, after: fields, within: reach) { agreeing += 1 }
      }
      return Float(agreeing) >= leastBacking * Float(showing)
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

/// By how much the median differs from a frame, cell by cell.
private struct CellDifferences {
  let pictureSize: Size
  let planes: Int
  /// Whole cells only.
  let columns: Int
  let rows: Int
  /// Means over a cell, row after row, plane after plane.
  private(set) var means: [Float]
  /// Whether the frame shows the cell, unclipped; row after row.
  private(set) var isShown: [Bool] = []

  /// Every other row of a cell tells as much.
  private static let rowStep = 2

  init(_ candidates: Candidates, _ frame: Int) {
    let (own, median) = (candidates.list[frame], candidates.list[candidates.median])
    pictureSize = candidates.size
    planes = candidates.planeCount
    (columns, rows) = (candidates.size.width / CellGrid.side, candidates.size.height / CellGrid.side)
    means = Array(repeating: 0, count: rows * planes * columns)
    isShown.reserveCapacity(rows * columns)
    let share = 1 / Float(CellGrid.side * CellGrid.side / Self.rowStep)
    var brightest = [UInt8](repeating: 0, count: columns)
    for row in 0..<rows {
      for index in brightest.indices { brightest[index] = 0 }
      var covered = 0..<Int32(candidates.size.width)
      for y in stride(from: row * CellGrid.side, to: (row + 1) * CellGrid.side, by: Self.rowStep) {
        covered = covered.clamped(to: own.coverage[y])
        for plane in 0..<planes {
          own.planes[plane].withUnsafeRow(y, as: UInt8.self) { own in
            median.planes[plane].withUnsafeRow(y, as: UInt8.self) { median in
              if plane == 0 { Self.raise(&brightest, by: own) }
              means.withUnsafeMutableBufferPointer { means in
                let means = UnsafeMutableBufferPointer(rebasing: means[((row * planes + plane) * columns)...])
                for column in 0..<columns {
                  var sum = 0
                  for x in column &* CellGrid.side..<(column &+ 1) &* CellGrid.side {
                    sum &+= Int(median[x]) &- Int(own[x])
                  }
                  means[column] += Float(sum) * share
                }
              }
            }
          }
        }
      }
      for column in 0..<columns {
        let (start, end) = (Int32(column * CellGrid.side), Int32((column + 1) * CellGrid.side))
        isShown.append(
          covered.lowerBound <= start && covered.upperBound >= end && Float(brightest[column]) < own.saturation)
      }
    }
  }

  /// Where the means of a cell begin that counts from the upper left, a plane's `columns` after those of the plane before.
  @inline(__always)
  func firstMean(of cell: Int) -> Int { cell / columns * planes * columns + cell % columns }

  /// The block of a field in which a cell lies.
  @inline(__always)
  func block(of cell: Int, in field: BlockField) -> Int {
    field.block(x: cell % columns * CellGrid.side, y: cell / columns * CellGrid.side)
  }

  /// Whether the frame differs from the median by hardly more in a cell than fields say, one per plane.
  @inline(__always)
  func isSame(_ cell: Int, after fields: [BlockField], within reach: Float) -> Bool {
    let (first, block) = (firstMean(of: cell), block(of: cell, in: fields[0]))
    return (0..<planes).allSatisfy { abs(means[first + $0 * columns] - fields[$0].values[block]) <= reach }
  }

  private static func raise(_ brightest: inout [UInt8], by row: UnsafeBufferPointer<UInt8>) {
    brightest.withUnsafeMutableBufferPointer { brightest in
      for column in 0..<brightest.count {
        for x in column &* CellGrid.side..<(column &+ 1) &* CellGrid.side {
          brightest[column] = max(brightest[column], row[x])
        }
      }
    }
  }
}

/// Mean differences of median and frame in the blocks, over those of their cells in which both show the same.
private struct Differences {
  /// Per plane.
  private var sums: [BlockField]
  /// Cells that count.
  private var known: BlockField

  /// - Parameters:
  ///   - isBacked: whether the median is what a cell shows; row after row.
  ///   - fields: what was found before, one per plane.
  ///   - reach: levels by which what `fields` leave may differ.
  init(_ cells: CellDifferences, where isBacked: [Bool], after fields: [BlockField], reach: Float) {
    known = BlockField(pictureSize: cells.pictureSize)
    sums = fields.map { _ in BlockField(pictureSize: cells.pictureSize) }
    for cell in cells.isShown.indices where cells.isShown[cell] && isBacked[cell] {
      guard cells.isSame(cell, after: fields, within: reach) else { continue }
      let (first, block) = (cells.firstMean(of: cell), cells.block(of: cell, in: known))
      known.values[block] += 1
      for plane in sums.indices { sums[plane].values[block] += cells.means[first + plane * cells.columns] }
    }
  }

  /// Widths of the Gaussians, as shares of the longer side, from coarse to fine.
  static let widths: [Float] = [0.5, 0.19, 0.08, 0.032]
  /// A scale that knows this share of a place counts half.
  private static let half: Float = 0.1

  /// Smooth fields, one per plane.
  /// - Parameter scales: how many of the Gaussians, from the widest.
  func fields(scales: Int) -> [BlockField] {
    var result = sums.map { _ in BlockField(pictureSize: known.pictureSize) }
    let cells = Float(BlockField.side * BlockField.side / (CellGrid.side * CellGrid.side))
    for width in Self.widths.prefix(scales) {
      let blur = BoxBlur(size: known.size, deviation: width * Float(max(known.size.width, known.size.height)))
      let knowledge = blur(known.values)
      for plane in sums.indices {
        let sum = blur(sums[plane].values)
        for block in sum.indices {
          result[plane].values[block] =
            (sum[block] + Self.half * cells * result[plane].values[block]) / (knowledge[block] + Self.half * cells)
        }
      }
    }
    return result
  }
}

/// Three passes of a box each way, which come close to a Gaussian (Wells, IEEE PAMI 8(2), 1986); beyond the border
/// there is nothing.
private struct BoxBlur {
  let size: Size
  private let radius: Int

  /// - Parameter deviation: the Gaussian's.
  init(size: Size, deviation: Float) {
    self.size = size
    // Three boxes of 2 r + 1 have the variance (2 r + 1)^2 / 4, less a quarter.
    radius = max(1, Int(((4 * deviation * deviation + 1).squareRoot() - 1) / 2 + 0.5))
  }

  func callAsFunction(_ values: [Float]) -> [Float] {
    var values = values
    for _ in 0..<3 {
      for row in 0..<size.height { blur(&values, from: row * size.width, by: 1, count: size.width) }
      for column in 0..<size.width { blur(&values, from: column, by: size.width, count: size.height) }
    }
    return values
  }

  private func blur(_ values: inout [Float], from start: Int, by step: Int, count: Int) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: count) { line in
      for index in 0..<count { line.initializeElement(at: index, to: values[start + index * step]) }
      var sum = line[..<min(radius, count)].reduce(0, +)
      let share = 1 / Float(2 * radius + 1)
      for index in 0..<count {
        if index + radius < count { sum += line[index + radius] }
        values[start + index * step] = sum * share
        if index >= radius { sum -= line[index - radius] }
      }
    }
  }
}
