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
      let first = Differences(cells[frame], where: isBacked, after: nothing, reach: reach.first).fieldsByScale()
      func fields(scales: Int) -> [BlockField] {
        let first = first[scales - 1]
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
    var agreeing = [Int32](repeating: 0, count: frames[0].isShown.count)
    agreeing.withUnsafeMutableBufferPointer { agreeing in
      for (frame, fields) in zip(frames, fields) {
        frame.forEachSame(after: fields, within: reach) { cell, _ in agreeing[cell] &+= 1 }
      }
    }
    return agreeing.indices.map { cell in
      let showing = frames.count { $0.isShown[cell] }
      return Float(agreeing[cell]) >= leastBacking * Float(showing)
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
    var clipped = [UInt8](repeating: 0, count: columns)
    for row in 0..<rows {
      for index in clipped.indices { clipped[index] = 0 }
      var covered = 0..<Int32(candidates.size.width)
      for y in stride(from: row * CellGrid.side, to: (row + 1) * CellGrid.side, by: Self.rowStep) {
        covered = covered.clamped(to: own.coverage[y])
        own.clipped?.withUnsafeRow(y, as: UInt8.self) { Self.raise(&clipped, by: $0) }
        for plane in 0..<planes {
          own.planes[plane].withUnsafeRow(y, as: UInt8.self) { own in
            median.planes[plane].withUnsafeRow(y, as: UInt8.self) { median in
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
          covered.lowerBound <= start && covered.upperBound >= end && clipped[column] == 0)
      }
    }
  }

  /// Where a cell's mean of a plane stands.
  @inline(__always)
  func place(row: Int, plane: Int, column: Int) -> Int { (row &* planes &+ plane) &* columns &+ column }

  /// The cells that the frame shows and in which it differs from the median by hardly more than fields say, one per
  /// plane; row after row, each with the block of the fields in which it lies.
  @inline(__always)
  func forEachSame(after fields: [BlockField], within reach: Float, _ body: (_ cell: Int, _ block: Int) -> Void) {
    let blocks = fields[0].values.count
    let foretold = fields.flatMap(\.values)
    foretold.withUnsafeBufferPointer { foretold in
      means.withUnsafeBufferPointer { means in
        isShown.withUnsafeBufferPointer { isShown in
          for row in 0..<rows {
            let firstBlock = fields[0].block(x: 0, y: row * CellGrid.side)
            for column in 0..<columns where isShown[row &* columns &+ column] {
              let block = firstBlock &+ column &* CellGrid.side / BlockField.side
              var isSame = true
              for plane in 0..<planes {
                let mean = means[place(row: row, plane: plane, column: column)]
                isSame = isSame && abs(mean - foretold[plane &* blocks &+ block]) <= reach
              }
              if isSame { body(row &* columns &+ column, block) }
            }
          }
        }
      }
    }
  }

  private static func raise(_ largest: inout [UInt8], by row: UnsafeBufferPointer<UInt8>) {
    largest.withUnsafeMutableBufferPointer { largest in
      for column in 0..<largest.count {
        for x in column &* CellGrid.side..<(column &+ 1) &* CellGrid.side {
          largest[column] = max(largest[column], row[x])
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
    let (planes, blocks) = (fields.count, known.values.count)
    var counted = [Float](repeating: 0, count: (1 + planes) * blocks)
    counted.withUnsafeMutableBufferPointer { counted in
      cells.forEachSame(after: fields, within: reach) { cell, block in
        guard isBacked[cell] else { return }
        counted[block] += 1
        let (row, column) = cell.quotientAndRemainder(dividingBy: cells.columns)
        for plane in 0..<planes {
          counted[(1 &+ plane) &* blocks &+ block] += cells.means[cells.place(row: row, plane: plane, column: column)]
        }
      }
    }
    known.values = Array(counted[..<blocks])
    for plane in 0..<planes { sums[plane].values = Array(counted[((1 + plane) * blocks)...].prefix(blocks)) }
  }

  /// Widths of the Gaussians, as shares of the longer side, from coarse to fine.
  static let widths: [Float] = [0.5, 0.19, 0.08, 0.032]
  /// A scale that knows this share of a place counts half.
  private static let half: Float = 0.1

  /// Smooth fields, one per plane.
  /// - Parameter scales: how many of the Gaussians, from the widest.
  func fields(scales: Int) -> [BlockField] { fieldsByScale(upTo: scales)[scales - 1] }

  /// Smooth fields, one per plane, by the widest of the Gaussians alone, the two widest, and so on.
  func fieldsByScale(upTo scales: Int = widths.count) -> [[BlockField]] {
    var result = sums.map { _ in BlockField(pictureSize: known.pictureSize) }
    let cells = Float(BlockField.side * BlockField.side / (CellGrid.side * CellGrid.side))
    return Self.widths.prefix(scales).map { width in
      let blur = BoxBlur(size: known.size, deviation: width * Float(max(known.size.width, known.size.height)))
      let knowledge = blur(known.values)
      for plane in sums.indices {
        let sum = blur(sums[plane].values)
        for block in sum.indices {
          result[plane].values[block] =
            (sum[block] + Self.half * cells * result[plane].values[block]) / (knowledge[block] + Self.half * cells)
        }
      }
      return result
    }
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
      let across = blurred(transposed(values, columns: size.width), columns: size.height)
      values = blurred(transposed(across, columns: size.height), columns: size.width)
    }
    return values
  }

  private func transposed(_ values: [Float], columns: Int) -> [Float] {
    let rows = values.count / columns
    return Array(unsafeUninitializedCapacity: values.count) { result, count in
      for column in 0..<columns {
        for row in 0..<rows {
          result.initializeElement(at: column &* rows &+ row, to: values[row &* columns &+ column])
        }
      }
      count = values.count
    }
  }

  /// One pass along the columns, all of which are worked on at once: along rows, sums would have to wait for each other.
  private func blurred(_ values: [Float], columns: Int) -> [Float] {
    let rows = values.count / columns
    let share = 1 / Float(2 * radius + 1)
    var sums = [Float](repeating: 0, count: columns)
    return values.withUnsafeBufferPointer { values in
      sums.withUnsafeMutableBufferPointer { sums in
        func add(row: Int, times factor: Float) {
          for column in 0..<columns { sums[column] += factor * values[row &* columns &+ column] }
        }
        for row in 0..<min(radius, rows) { add(row: row, times: 1) }
        return Array(unsafeUninitializedCapacity: values.count) { result, count in
          for row in 0..<rows {
            if row + radius < rows { add(row: row + radius, times: 1) }
            for column in 0..<columns {
              result.initializeElement(at: row &* columns &+ column, to: sums[column] * share)
            }
            if row >= radius { add(row: row - radius, times: -1) }
          }
          count = values.count
        }
      }
    }
  }
}
