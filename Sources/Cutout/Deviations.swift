import Frames

/// How far a reference lies from its plate, in units of what noise and a small misplacement explain.
struct Deviations: Sendable {
  /// Planes of one encoding, depth and size, and where their samples sit.
  private let reference: [Plane]
  private let plate: [Plane]
  private let grids: [PlaneGrid]
  /// Per plane, the variance that noise explains by a sample's upper 8 bits.
  private let variances: [[Float]]
  /// Pixels by which the two may be apart where nothing differs.
  private var misplacement: Float

  /// Levels of 8 bits that are no difference: exposures never match quite.
  private static let indifference = 1.5

  var size: Size { Size(width: plate[0].width, height: plate[0].height) }

  init(reference: [Plane], plate: [Plane], grids: [PlaneGrid], noise: [NoiseLevel], misplacement: Float) {
    self.reference = reference
    self.plate = plate
    self.grids = grids
    self.misplacement = misplacement
    let unit = Double(1 << (plate[0].bits - 8))
    variances = noise.map { noise in
      (0..<256).map { step in
        let deviation = noise.standardDeviation(at: (Double(step) + 0.5) * unit)
        return Float(deviation * deviation + Self.indifference * Self.indifference * unit * unit)
      }
    }
  }

  /// The same with the misplacement that explains the differences in four fifths of what is steep, within a range:
  /// few of them are somebody's, and trees sway.
  func measuringMisplacement(within range: ClosedRange<Float>) -> Deviations {
    var apart: [Float] = []
    for y in 0..<plate[0].height {
      compare(plane: 0, row: y) { _, difference, slope, variance in
        if slope * slope > Self.steep * variance { apart.append(abs(difference) / slope) }
      }
    }
    guard apart.count >= Self.fewest else { return self }
    apart.sort()
    var result = self
    result.misplacement = min(max(apart[apart.count * 4 / 5], range.lowerBound), range.upperBound)
    return result
  }

  /// The squared slope, in units of what noise explains, from which a misplacement tells more than noise does.
  private static let steep: Float = 9
  /// So many pixels must be steep before they tell anything.
  private static let fewest = 200

  /// Means over the planes of squared deviations, for some rows of luma pixels.
  func squared(rows: Range<Int>) -> SmallPicture {
    var result = SmallPicture(size: Size(width: size.width, height: rows.count))
    var deviations = [Float](repeating: 0, count: size.width)
    for (index, grid) in grids.enumerated() {
      var known: Int?
      for y in rows {
        let own = min(y / grid.scaleY, plate[index].height - 1)
        if own != known {
          compare(plane: index, row: own) { x, difference, slope, variance in
            let shift = misplacement * slope
            deviations[x] = difference * difference / (variance + shift * shift)
          }
        }
        known = own
        let start = (y - rows.lowerBound) * size.width
        for x in 0..<size.width {
          result.values[start + x] += deviations[min(x / grid.scaleX, plate[index].width - 1)] / Float(grids.count)
        }
      }
    }
    return result
  }

  /// Tells for each sample of a plane's row how far reference and plate are apart there, the plate's slope in levels a
  /// pixel, and the variance that noise explains.
  private func compare(
    plane: Int, row: Int, _ body: (_ x: Int, _ difference: Float, _ slope: Float, _ variance: Float) -> Void
  ) {
    if plate[plane].bits > 8 {
      compare(plane, row, UInt16.self, body)
    } else {
      compare(plane, row, UInt8.self, body)
    }
  }

  @inline(__always)
  private func compare<S: Sample>(
    _ index: Int, _ row: Int, _ type: S.Type, _ body: (Int, Float, Float, Float) -> Void
  ) {
    let plane = plate[index]
    let (last, shift) = (plane.width - 1, plane.bits - 8)
    plane.withUnsafeRow(max(row - 1, 0), as: type) { above in
      plane.withUnsafeRow(row, as: type) { here in
        plane.withUnsafeRow(min(row + 1, plane.height - 1), as: type) { below in
          reference[index].withUnsafeRow(row, as: type) { seen in
            for x in 0...last {
              let across = Float(here[min(x + 1, last)]) - Float(here[max(x - 1, 0)])
              let down = Float(below[x]) - Float(above[x])
              body(
                x, Float(seen[x]) - Float(here[x]), max(abs(across), abs(down)) / 2,
                variances[index][Int(here[x]) >> shift])
            }
          }
        }
      }
    }
  }
}
