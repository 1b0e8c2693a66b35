import Frames
import Glibc

/// A ratio of brightness that one gain and offset leave, at a place of the reference.
struct LeftoverRatio: Sendable {
  var place: Point
  /// The natural logarithm of reference over matched frame.
  var logarithm: Double
  var weight: Double
}

/// Fits a smooth field of gains where lenses darken the corners and the camera turned in between: a polynomial of
/// second degree in the logarithm, robust as the other fits are.
struct GainField {
  let size: Size

  private typealias Coefficients = InlineArray<6, Double>

  /// The largest gain of the field that is believed, either way.
  private static let largest = 1.3
  /// A field that stays closer to 1 than this is not worth its time.
  private static let smallest = 0.006
  private static let (columns, rows) = (13, 10)

  /// - Returns: nil unless the field predicts ratios that it was not fitted to clearly better than no field.
  func fitWhereUseful(_ ratios: [LeftoverRatio]) -> GainGrid? {
    let heldOut = ratios.indices.filter { $0 % 2 == 0 }.map { ratios[$0] }
    let used = ratios.indices.filter { $0 % 2 == 1 }.map { ratios[$0] }
    guard heldOut.count >= 60, let trial = fit(used) else { return nil }
    let without = median(heldOut.map { abs($0.logarithm) })
    let with = median(heldOut.map { abs($0.logarithm - value(trial, at: $0.place)) })
    guard with < 0.85 * without, let field = fit(ratios) else { return nil }
    let strength = percentile(ratios.map { abs(value(field, at: $0.place)) }, 0.9)
    guard strength > Self.smallest else { return nil }
    var gains: [Float] = []
    for j in 0..<Self.rows {
      for i in 0..<Self.columns {
        let node = Point(
          x: Double(i) / Double(Self.columns - 1) * Double(size.width - 1),
          y: Double(j) / Double(Self.rows - 1) * Double(size.height - 1))
        gains.append(Float(min(max(exp(value(field, at: node)), 1 / Self.largest), Self.largest)))
      }
    }
    return GainGrid(columns: Self.columns, rows: Self.rows, size: size, gains: gains)
  }

  private func fit(_ ratios: [LeftoverRatio]) -> Coefficients? {
    var field = Coefficients(repeating: 0)
    for _ in 0..<8 {
      let errors = ratios.map { abs($0.logarithm - value(field, at: $0.place)) }
      // Half of the pairs may be movers'; the nearer ones tell the noise.
      let sigma = max(1.4826 * percentile(errors, 0.35) * 1.5, 0.002)
      var equations = NormalEquations<6>()
      for (ratio, error) in zip(ratios, errors) where error < 4.685 * sigma {
        let t = error / (4.685 * sigma)
        equations.add(basis(ratio.place), equals: ratio.logarithm, weight: ratio.weight * (1 - t * t) * (1 - t * t))
      }
      guard let next = equations.solved() else { return nil }
      field = next
    }
    return field
  }

  private func basis(_ p: Point) -> Coefficients {
    let longer = Double(max(size.width, size.height)) / 2
    let (u, v) = ((p.x - Double(size.width) / 2) / longer, (p.y - Double(size.height) / 2) / longer)
    return [1, u, v, u * u, u * v, v * v]
  }

  private func value(_ field: Coefficients, at p: Point) -> Double {
    let basis = basis(p)
    return field.indices.reduce(0) { $0 + field[$1] * basis[$1] }
  }
}
