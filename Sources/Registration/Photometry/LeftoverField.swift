import Frames
import Glibc

/// What one gain and offset leave at a place of the reference.
struct Leftover: Sendable {
  var place: Point
  var value: Double
  var weight: Double
}

extension [Leftover] {
  /// Every other one, by which a field is judged that was fitted to the rest.
  var halves: (heldOut: [Leftover], used: [Leftover]) {
    (indices.filter { $0 % 2 == 0 }.map { self[$0] }, indices.filter { $0 % 2 == 1 }.map { self[$0] })
  }
}

/// Fits a smooth field to what gains and offsets leave, where lenses darken the corners and the camera turned in between,
/// or light and white balance changed: a polynomial of second degree, robust as the other fits are.
struct LeftoverField {
  /// The reference's.
  let size: Size
  /// The largest value that is believed, either way.
  let largest: Double
  /// A field of which nine tenths stay closer to 0 than this is not worth its time.
  let smallest: Double
  /// What leftovers differ by at least.
  let noise: Double

  private typealias Coefficients = InlineArray<6, Double>

  private static let (columns, rows) = (13, 10)

  /// - Returns: nil unless the field predicts leftovers that it was not fitted to clearly better than no field.
  func fitWhereUseful(_ leftovers: [Leftover]) -> SmoothField? {
    let (heldOut, used) = leftovers.halves
    guard heldOut.count >= 60, let trial = fit(used) else { return nil }
    let without = median(heldOut.map { abs($0.value) })
    let with = median(heldOut.map { abs($0.value - value(trial, at: $0.place)) })
    guard with < 0.85 * without, let field = fit(leftovers) else { return nil }
    let strength = percentile(leftovers.map { abs(value(field, at: $0.place)) }, 0.9)
    guard strength > smallest else { return nil }
    return SmoothField(columns: Self.columns, rows: Self.rows, size: size) { node in
      Float(min(max(value(field, at: node), -largest), largest))
    }
  }

  private func fit(_ leftovers: [Leftover]) -> Coefficients? {
    var field = Coefficients(repeating: 0)
    for _ in 0..<8 {
      let errors = leftovers.map { abs($0.value - value(field, at: $0.place)) }
      let sigma = max(spreadAmongMovers(errors), noise)
      let cutoff = bisquareReach * sigma
      var equations = NormalEquations<6>()
      for (leftover, error) in zip(leftovers, errors) where error < cutoff {
        equations.add(
          basis(leftover.place), equals: leftover.value,
          weight: bisquare(leftover.weight, error: error, cutoff: cutoff))
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
