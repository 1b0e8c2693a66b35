import Frames

/// How much of a frame is clipped, from place to place: 1 where half of a place is or more, and less and less about it.
///
/// Nobody can tell where exactly light leaves what a camera records, and most cameras press together what comes near it. What
/// is said of a place and its surroundings changes slowly; what is said of each sample would show.
struct ClippedPlaces {
  /// Over the frame, 0...1.
  private let shares: SmoothField
  /// The share of the whole frame.
  let ofAll: Double

  /// Nodes along the longer side of the frame.
  private static let nodes = 160
  /// Samples that are looked at from one node to the next, along each axis.
  private static let lattice = 4
  /// This share of a place is as good as all of it.
  private static let most: Float = 0.5
  /// Nodes from what is clipped to where nothing is known to be.
  private static let reach: Float = 3

  /// - Parameter frame: as it was decoded.
  /// - Returns: nil where nothing is clipped.
  init?(_ frame: Frame) {
    let size = frame.size
    let spacing = max(Double(max(size.width, size.height)) / Double(Self.nodes), 1)
    func count(_ length: Int) -> Int { max(Int((Double(length) / spacing).rounded()) + 1, 2) }
    let (columns, rows) = (count(size.width), count(size.height))
    let step = max(Int(spacing) / Self.lattice, 1)
    let across = Array(stride(from: step / 2, to: size.width, by: step))
    let down = Array(stride(from: step / 2, to: size.height, by: step))
    let nodes = across.map { Self.node($0, of: size.width, columns) }
    var colours = BrightestColours(of: frame, columns: across)
    var clipped = [Float](repeating: 0, count: columns * rows)
    for y in down {
      colours.read(row: y)
      let row = Self.node(y, of: size.height, rows) * columns
      for (node, brightness) in zip(nodes, colours.values) where brightness >= PhotometricMatch.clipped {
        clipped[row + node] += 1
      }
    }
    guard clipped.contains(where: { $0 > 0 }) else { return nil }
    ofAll = Double(clipped.reduce(0, +)) / Double(across.count * down.count)
    let seen = (
      across: Self.counts(nodes, columns), down: Self.counts(down.map { Self.node($0, of: size.height, rows) }, rows)
    )
    let shares = clipped.indices.map { node in
      let count = seen.across[node % columns] * seen.down[node / columns]
      return count > 0 ? min(clipped[node] / (count * Self.most), 1) : 0
    }
    self.shares = SmoothField(
      columns: columns, rows: rows, size: size, values: Self.fading(shares, columns: columns))
  }

  var columns: Int { shares.columns }
  var rows: Int { shares.rows }

  /// At a pixel of the frame.
  func share(at p: Point) -> Double { shares(p) }

  /// The node nearest to a pixel along an axis.
  private static func node(_ pixel: Int, of length: Int, _ nodes: Int) -> Int {
    length > 1 ? (2 * pixel * (nodes - 1) + length - 1) / (2 * (length - 1)) : 0
  }

  /// How many of some places are nearest to each node along an axis.
  private static func counts(_ places: [Int], _ nodes: Int) -> [Float] {
    places.reduce(into: [Float](repeating: 0, count: nodes)) { $0[$1] += 1 }
  }

  /// Lets every share fade about its node (chamfer distances: Borgefors, CVGIP 34(3), 1986).
  private static func fading(_ shares: [Float], columns: Int) -> [Float] {
    var result = shares
    let rows = shares.count / columns
    let (beside, across) = (1 / reach, Float(2).squareRoot() / reach)
    // Half of a node's neighbours; the way back looks at the others.
    let neighbours = [(-1, 0, beside), (-1, -1, across), (0, -1, beside), (1, -1, across)]
    for direction in [1, -1] {
      for index in 0..<shares.count {
        let node = direction > 0 ? index : shares.count - 1 - index
        let (row, column) = node.quotientAndRemainder(dividingBy: columns)
        for (right, down, loss) in neighbours {
          let (x, y) = (column + direction * right, row + direction * down)
          guard x >= 0, x < columns, y >= 0, y < rows else { continue }
          result[node] = max(result[node], result[y * columns + x] - loss)
        }
      }
    }
    return result
  }
}
