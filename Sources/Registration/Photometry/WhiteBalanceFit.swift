package import Frames
import Glibc

extension PhotometricMatcher {
  /// Levels of 8 bits by which a match moves chroma, factors by which it makes more of it than of light, and factors between
  /// its gains of red, green and blue, from which on the white balance is looked at.
  private static let (moved, stretched, apart) = (3.0, 1.15, 1.06)
  /// Factors of red, green and blue that differ less than by this one are left to a match of each plane.
  private static let leastApart = 1.1
  /// How far a place's factors may lie from the usual ones.
  private static let alike = 0.08
  /// How many places, and which share of those that are lit, must agree on both.
  private static let (fewestAlike, leastAlike) = (40, 0.3)
  /// Samples outside are too dark to tell a factor, or clipped.
  private static let lit = 0.1...0.98

  /// Another white balance of a frame. In Y'CbCr it moves chroma the further the brighter a place is, which no match of one
  /// plane by itself undoes.
  /// - Parameters:
  ///   - frame: with samples of the reference's kind.
  ///   - alignment: how it lies on the reference, and how its planes match.
  /// - Returns: nil where the planes match without it, or where places do not agree on one.
  package func whiteBalance(of frame: Frame, on reference: Frame, alignment: Alignment) -> WhiteBalance? {
    guard frame.planes.count == 3, frame.encoding == reference.encoding, frame.bits == reference.bits,
      Self.mayDiffer(alignment.photometric, frame), let back = alignment.homography.inverse
    else { return nil }
    let places = places(in: reference.size, back: back, mesh: alignment.mesh)
    // Of red and blue beside green: where edges lie half a pixel apart, all three differ alike.
    let ratios = pairsOfAllPlanes(frame, reference, places: places).compactMap {
      pairs -> (red: Double, blue: Double)? in
      let (own, other) = (frame.redGreenBlue(pairs.map(\.frame)), frame.redGreenBlue(pairs.map(\.reference)))
      guard (own + other).allSatisfy(Self.lit.contains) else { return nil }
      let logs = zip(own, other).map { log($1 / $0) }
      return (logs[0] - logs[1], logs[2] - logs[1])
    }
    guard ratios.count >= Self.fewestAlike else { return nil }
    let usual = (red: halfSampleMode(ratios.map(\.red)), blue: halfSampleMode(ratios.map(\.blue)))
    let agreeing = ratios.filter { abs($0.red - usual.red) < Self.alike && abs($0.blue - usual.blue) < Self.alike }
    guard agreeing.count >= Self.fewestAlike, Double(agreeing.count) >= Self.leastAlike * Double(ratios.count) else {
      return nil
    }
    let (red, blue) = (exp(median(agreeing.map(\.red))), exp(median(agreeing.map(\.blue))))
    guard max(red, blue, 1) > Self.leastApart * min(red, blue, 1) else { return nil }
    return WhiteBalance(red: red, green: 1, blue: blue, matrix: frame.matrix)
  }

  private static func mayDiffer(_ match: PhotometricMatch, _ frame: Frame) -> Bool {
    let gains = match.channels.map(\.gain)
    guard case .yCbCr = frame.encoding else { return gains.max()! > apart * gains.min()! }
    let level = Double(1 << (frame.bits - 8))
    return match.channels.dropFirst().contains { chroma in
      abs(chroma.offset) > moved * level || abs(log(chroma.gain / gains[0])) > log(stretched)
        // No match of chroma was found.
        || chroma.offset == 0
    }
  }
}

extension Frame {
  fileprivate var matrix: YCbCrMatrix {
    if case .yCbCr(let matrix, _) = encoding { matrix } else { .bt601 }
  }

  /// Red, green and blue, within 0...1, of a sample of each plane.
  func redGreenBlue(_ samples: [Double]) -> [Double] {
    let values = samples.enumerated().map { CodeScale(encoding: encoding, plane: $0, bits: bits).value($1) }
    guard case .yCbCr(let matrix, _) = encoding else { return values }
    let (red, green, blue) = matrix.decoding(values[0], values[1], values[2])
    return [red, green, blue]
  }
}
