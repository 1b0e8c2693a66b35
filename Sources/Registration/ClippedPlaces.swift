import Frames

/// How much of a frame is clipped, from place to place: 1 where half of a place is or more, and less and less about it.
///
/// Nobody can tell where exactly light leaves what a camera records, and most cameras press together what comes near it. What
/// is said of a place and its surroundings changes slowly; what is said of each sample would show.
struct ClippedPlaces {
  /// Over the frame, 0...1.
  private let shares: SmoothField

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
    var clipped = [Float](repeating: 0, count: columns * rows)
    var seen = clipped
    let step = max(Int(spacing) / Self.lattice, 1)
    let places = Array(stride(from: step / 2, to: size.width, by: step))
    let nodes = places.map { Self.node($0, of: size.width, columns) }
    let samples = zip(frame.planes, frame.grids).map { plane, grid in
      places.map { min($0 / grid.scaleX, plane.width - 1) }
    }
    for y in stride(from: step / 2, to: size.height, by: step) {
      let row = Self.node(y, of: size.height, rows) * columns
      for (node, brightness) in zip(nodes, frame.brightness(row: y, columns: samples)) {
        seen[row + node] += 1
        if brightness >= PhotometricMatch.clipped { clipped[row + node] += 1 }
      }
    }
    guard clipped.contains(where: { $0 > 0 }) else { return nil }
    let shares = zip(clipped, seen).map { $1 > 0 ? min($0 / ($1 * Self.most), 1) : 0 }
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

extension Frame {
  /// The brightest of red, green and blue at some pixels of a row, of 1 for white.
  /// - Parameter columns: by plane, which of its samples are those.
  fileprivate func brightness(row: Int, columns: [[Int]]) -> [Double] {
    let values = planes.indices.map { plane in
      bits > 8
        ? self.values(plane: plane, row: row, columns: columns[plane], as: UInt16.self)
        : self.values(plane: plane, row: row, columns: columns[plane], as: UInt8.self)
    }
    guard values.count == 3 else { return values[0] }
    guard case .yCbCr(let matrix, _) = encoding else {
      return values[0].indices.map { max(values[0][$0], values[1][$0], values[2][$0]) }
    }
    let decoding = matrix.decoding
    let (light, cb, cr) = (values[0], values[1], values[2])
    return light.indices.map { index in
      let (red, green, blue) = decoding(light[index], cb[index], cr[index])
      return max(red, green, blue)
    }
  }

  /// What some samples of a plane stand for (`CodeScale`).
  /// - Parameter row: of the frame.
  private func values<S: Sample>(plane index: Int, row: Int, columns: [Int], as type: S.Type) -> [Double] {
    let (plane, grid) = (planes[index], grids[index])
    let scale = CodeScale(encoding: encoding, plane: index, bits: bits)
    return plane.withUnsafeRow(min(row / grid.scaleY, plane.height - 1), as: S.self) { samples in
      columns.map { scale.value(Double(samples[$0])) }
    }
  }
}
