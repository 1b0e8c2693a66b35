import CShimKernels
package import Frames

/// A frame whose light is not to be believed everywhere (`PhotometricMatch.doubt`).
package struct DoubtedFrame: Sendable {
  /// Its place among the frames.
  package let position: Int
  private let doubt: SmoothField
  /// Per plane of light, the matched level of white; the same nodes.
  private let white: [SmoothField]
  /// The least of them, by plane.
  let leastWhite: [Double]

  /// What is certainly clipped; 0 is to be believed.
  package static let certain = Int(CS_CERTAINLY_CLIPPED)

  /// Shares of what clipped samples come out as, up to which a sample is as good as any, and from which on as bad as clipped:
  /// most cameras press together what comes near white.
  private static let (good, bad): (Float, Float) = (0.7, 0.9)

  /// - Parameters:
  ///   - planes: how many, from the first, are of light.
  ///   - bits: of the samples of which it is asked, as many as the frame's at most.
  /// - Returns: nil for a frame that is to be believed.
  init?(_ registered: RegisteredFrame, at position: Int, planes: Int, bits: Int) {
    guard let doubt = registered.alignment.photometric.doubt else { return nil }
    (self.position, self.doubt) = (position, doubt)
    let (frame, match) = (registered.frame, registered.alignment.photometric)
    let scale = Double(1 << (frame.bits - bits))
    let levels = (0..<planes).map { plane in
      Double(CodeScale(encoding: frame.encoding, plane: plane, bits: frame.bits).code(PhotometricMatch.clipped))
    }
    white = levels.indices.map { plane in
      SmoothField(columns: doubt.columns, rows: doubt.rows, size: doubt.size) { p in
        Float(max(match.channels[plane].matched(levels[plane], at: p) / scale, 1))
      }
    }
    leastWhite = levels.indices.map { match.channels[$0].leastMatched(levels[$0]) }
  }

  /// Whether it is doubted in some of the reference's pixels.
  package func isDoubted(in part: Region) -> Bool { doubt.largest(in: part) > 0 }

  /// Some pixels of a row of the reference, from one to the next.
  package struct Row: Sendable {
    fileprivate let columns: SmoothField.Columns
    /// How little light is to be believed, 0...1.
    fileprivate var doubts: [Float]
    /// By plane of light, matched levels of white.
    fileprivate var white: [[Float]]

    /// Whether light is to be believed all along.
    package var isBelieved: Bool { !doubts.contains { $0 > 0 } }
  }

  /// A row that is to be filled.
  package func row(from x: Double, step: Double, count: Int) -> Row {
    let nothing = [Float](repeating: 0, count: count)
    return Row(
      columns: doubt.columns(from: x, step: step, count: count), doubts: nothing,
      white: Array(repeating: nothing, count: white.count))
  }

  package func fill(_ row: inout Row, at y: Double) {
    doubt.write(row: y, row.columns, into: &row.doubts)
    for plane in white.indices { white[plane].write(row: y, row.columns, into: &row.white[plane]) }
  }

  /// How little the samples of a row are to be believed, 0...`certain`.
  /// - Parameter brightness: by plane of light, in its levels.
  package func doubts(in row: Row, brightness: [[Int32]]) -> [UInt8] {
    var shares = [Float](repeating: 0, count: row.doubts.count)
    for (levels, white) in zip(brightness, row.white) {
      for x in shares.indices { shares[x] = max(shares[x], Float(levels[x]) / white[x]) }
    }
    return shares.indices.map { x in
      let nearness = min(max((shares[x] - Self.good) / (Self.bad - Self.good), 0), 1)
      return UInt8(row.doubts[x] * nearness * Float(Self.certain) + 0.5)
    }
  }
}
