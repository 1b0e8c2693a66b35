import Frames

/// What the frames' colours lack, from place to place, to be the reference's: light that changes, white balance, and what
/// lenses darken.
///
/// Every frame is compared with the median where it shows the same; the differences are averaged by Gaussians from coarse
/// to fine, so that fine ones say what they know and coarse ones fill the rest (normalised convolution: Knutsson and
/// Westin, CVPR 1993). What the reference itself differs by from the median stays: the plate has its colours.
/// Samples that are combined are brought to each other by them; the choice of frames is made without, since a field that
/// follows somebody's faint shade makes his surroundings look alike.
struct ColourFields: Sendable {
  /// Per frame one field a plane of the candidates, in levels of 8 bits; nil for a frame that needs none.
  let frames: [[BlockField]?]

  /// Levels by which cells that show the same may differ: first, and once a field is known.
  private static let reach: (first: Float, then: Float) = (14, 7)
  /// Levels that nobody sees: fields are that much nearer to 0, so that what they know badly does no harm.
  private static let unseen: Float = 0.4

  /// - Throws: `CancellationError`.
  init(of candidates: Candidates, threads: Int) async throws {
    let nothing = (0..<candidates.planeCount).map { _ in BlockField(pictureSize: candidates.size) }
    let fields = try await mapIndices(count: candidates.frameCount, threads: threads) { frame in
      let first = Differences(candidates, frame, after: nothing, reach: Self.reach.first).fields()
      // What is small at first needs no second look.
      guard first.contains(where: { $0.strength >= Self.unseen / 2 }) else { return first }
      return Differences(candidates, frame, after: first, reach: Self.reach.then).fields()
    }
    let reference = fields[candidates.reference]
    frames = fields.indices.map { frame in
      guard frame != candidates.reference else { return nil }
      let relative = zip(fields[frame], reference).map { ($0 - $1).shrunk(by: Self.unseen) }
      return relative.contains { $0.strength > 0 } ? relative : nil
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
  ///   - fields: what was found before, one per plane.
  ///   - reach: levels by which what `fields` leave may differ.
  init(_ candidates: Candidates, _ frame: Int, after fields: [BlockField], reach: Float) {
    let (own, median) = (candidates.list[frame], candidates.list[candidates.median])
    let (side, planes) = (CellGrid.side, fields.count)
    // Whole cells only; every other row of theirs tells as much.
    let (columns, rows, rowStep) = (candidates.size.width / side, candidates.size.height / side, 2)
    let share = 1 / Float(side * side / rowStep)
    known = BlockField(pictureSize: candidates.size)
    sums = fields.map { _ in BlockField(pictureSize: candidates.size) }
    var means = [Float](repeating: 0, count: planes * columns)
    var brightest = [UInt8](repeating: 0, count: columns)
    for row in 0..<rows {
      for index in means.indices { means[index] = 0 }
      for index in brightest.indices { brightest[index] = 0 }
      var covered = 0..<Int32(candidates.size.width)
      for y in stride(from: row * side, to: (row + 1) * side, by: rowStep) {
        covered = covered.clamped(to: own.coverage[y])
        for plane in 0..<planes {
          own.planes[plane].withUnsafeRow(y, as: UInt8.self) { own in
            median.planes[plane].withUnsafeRow(y, as: UInt8.self) { median in
              for column in 0..<columns {
                var sum = 0
                for x in column &* side..<column &* side &+ side {
                  sum &+= Int(median[x]) &- Int(own[x])
                  if plane == 0 { brightest[column] = max(brightest[column], own[x]) }
                }
                means[plane &* columns &+ column] += Float(sum) * share
              }
            }
          }
        }
      }
      for column in 0..<columns {
        guard covered.lowerBound <= Int32(column * side), covered.upperBound >= Int32((column + 1) * side),
          Float(brightest[column]) < own.saturation
        else { continue }
        let block = row * side / BlockField.side * known.size.width + column * side / BlockField.side
        let isSame = (0..<planes).allSatisfy { plane in
          abs(means[plane * columns + column] - fields[plane].values[block]) <= reach
        }
        guard isSame else { continue }
        known.values[block] += 1
        for plane in 0..<planes { sums[plane].values[block] += means[plane * columns + column] }
      }
    }
  }

  /// Widths of the Gaussians, as shares of the longer side, from coarse to fine.
  private static let widths: [Float] = [0.5, 0.19, 0.08, 0.032]
  /// A scale that knows this share of a place counts half.
  private static let half: Float = 0.1

  /// Smooth fields, one per plane.
  func fields() -> [BlockField] {
    var result = sums.map { _ in BlockField(pictureSize: known.pictureSize) }
    let cells = Float(BlockField.side * BlockField.side / (CellGrid.side * CellGrid.side))
    for width in Self.widths {
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
