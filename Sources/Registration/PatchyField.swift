import Frames

/// Fits what light that changes in patches leaves, such as the bands of lamps that flicker and the shadows of clouds: means
/// by bells from wide to narrow, each of what the wider ones leave, so that narrow ones say what they know and wide ones
/// fill the rest (normalised convolution: Knutsson and Westin, CVPR 1993), robust as the other fits are.
struct PatchyField {
  /// The reference's.
  let size: Size
  /// The largest value that is believed, either way.
  let largest: Double
  /// What leftovers differ by at least.
  let noise: Double
  /// Where most leftovers are smaller than this, nobody sees patches.
  let smallest: Double
  /// What most leftovers are below once the patches are known, if light made them: people leave more.
  let mostLeft: Double

  /// The bells' radii, as shares of the longer side, and in how many rounds each finds what its last means have blurred.
  /// Narrower ones would follow people.
  private static let bells = [(radius: 0.4, rounds: 2), (0.21, 3), (0.12, 8)]
  /// Along the longer side: seven within the narrowest bell.
  private static let nodes = 33
  /// A bell that knows this share of what it would if there were leftovers everywhere counts half.
  private static let half = 0.1
  /// Patches explain light if they leave less than this share of leftovers that they were not fitted to.
  private static let useful = 0.8

  /// - Parameters:
  ///   - leftovers: those of one row of places after another.
  ///   - field: what is known before, such as what lenses darken.
  /// - Returns: that field and the patches; nil where there are none.
  func fitWhereUseful(_ leftovers: [Leftover], after field: SmoothField?) -> SmoothField? {
    let (heldOut, used) = leftovers.halves
    guard heldOut.count >= 60 else { return nil }
    func left(by field: SmoothField?) -> Double {
      median(heldOut.map { abs($0.value - (field?($0.place) ?? 0)) })
    }
    let before = left(by: field)
    guard before > smallest, left(by: fit(used, after: field)) < min(Self.useful * before, mostLeft) else { return nil }
    return fit(leftovers, after: field)
  }

  private func fit(_ leftovers: [Leftover], after start: SmoothField?) -> SmoothField {
    let longer = Double(max(size.width, size.height))
    let step = longer / Double(Self.nodes - 1)
    var field = SmoothField(
      columns: max(2, Int((Double(size.width) / step).rounded()) + 1),
      rows: max(2, Int((Double(size.height) / step).rounded()) + 1), size: size
    ) { Float(start?($0) ?? 0) }
    let usual = median(leftovers.map(\.weight)) * Double(leftovers.count) / Double(size.area)
    for (radius, rounds) in Self.bells {
      let bell = Bell(radius: radius * longer)
      for _ in 0..<rounds { field = refined(field, by: leftovers, bell, doubt: Self.half * usual * bell.volume) }
    }
    return field.map { min(max($0, -Float(largest)), Float(largest)) }
  }

  /// - Parameter doubt: how much speaks for what the field says already.
  private func refined(_ field: SmoothField, by leftovers: [Leftover], _ bell: Bell, doubt: Double) -> SmoothField {
    let errors = leftovers.map { $0.value - field($0.place) }
    let cutoff = bisquareReach * max(spreadAmongMovers(errors.map { abs($0) }), noise)
    var known = [Double](repeating: 0, count: field.values.count)
    var sums = known
    var start = 0
    while start < leftovers.count {
      let y = leftovers[start].place.y
      // First along a row of places, then from there to the rows of nodes.
      var ownKnown = [Double](repeating: 0, count: field.columns)
      var ownSums = ownKnown
      var next = start
      while next < leftovers.count && leftovers[next].place.y == y {
        let (leftover, error) = (leftovers[next], errors[next])
        next += 1
        guard abs(error) < cutoff else { continue }
        let weight = bisquare(leftover.weight, error: abs(error), cutoff: cutoff)
        bell.forEachNode(of: field.columns, over: size.width, around: leftover.place.x) { column, share in
          ownKnown[column] += weight * share
          ownSums[column] += weight * share * error
        }
      }
      start = next
      bell.forEachNode(of: field.rows, over: size.height, around: y) { row, share in
        for column in 0..<field.columns {
          known[row * field.columns + column] += share * ownKnown[column]
          sums[row * field.columns + column] += share * ownSums[column]
        }
      }
    }
    let values = field.values.indices.map { field.values[$0] + Float(sums[$0] / (known[$0] + doubt)) }
    return SmoothField(columns: field.columns, rows: field.rows, size: size, values: values)
  }

  /// The biweight, close to a Gaussian of 0.378 times its radius, along each axis.
  private struct Bell {
    /// In pixels; from here on it is 0.
    let radius: Double
    /// In pixels of a height of 1.
    var volume: Double { (16.0 / 15 * radius) * (16.0 / 15 * radius) }

    /// The nodes along an axis that a place tells something of, and how much.
    @inline(__always)
    func forEachNode(
      of count: Int, over extent: Int, around centre: Double, _ body: (_ node: Int, _ share: Double) -> Void
    ) {
      let step = Double(extent - 1) / Double(count - 1)
      let first = max(0, Int(((centre - radius) / step).rounded(.up)))
      let last = min(count - 1, Int((centre + radius) / step))
      guard first <= last else { return }
      for node in first...last {
        let t = (Double(node) * step - centre) / radius
        body(node, (1 - t * t) * (1 - t * t))
      }
    }
  }
}
