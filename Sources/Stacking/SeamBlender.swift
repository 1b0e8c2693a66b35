import Frames

/// Joins what neighbouring cells chose.
struct SeamBlender<S: Sample> {
  private let combiner: CleanOperator<S>
  /// What each choice shows, one row of the tile after another.
  private var shown: [S] = []
  private var choices: [UInt16] = []

  /// Levels below black from which light is counted; nil for chroma.
  private let floor: Float?

  init(_ combiner: CleanOperator<S>, floor: Float?) {
    self.combiner = combiner
    self.floor = floor
  }

  /// Writes neighbouring segments of a row of the tile.
  /// - Parameter output: where the tile's first column goes.
  mutating func write(
    row y: Int, _ segments: ArraySlice<JoinedRow.Segment>, of row: JoinedRow, _ plan: SelectionPlan,
    to output: UnsafeMutablePointer<S>
  ) {
    show(row: y, segments, plan)
    let width = combiner.tile.region.width
    for segment in segments {
      // Positions in `shown`; what occurs twice is added up once.
      let places = InlineArray<4, Int> { (choices.firstIndex(of: segment.corners[$0]) ?? 0) * width }
      let additions = Additions(segment)
      for x in segment.columns {
        let (right, below) = (row.right(at: x), row.below)
        let weights = SIMD4((1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below)
        var values = SIMD4(
          Float(shown[places[0] + x]), Float(shown[places[1] + x]), Float(shown[places[2] + x]),
          Float(shown[places[3] + x]))
        let own = (below < 0.5 ? 0 : 2) + (right < 0.5 ? 0 : 1)
        let tolerance = combiner.rule.tolerance[Int(values[own]) >> (combiner.bits - 8)]
        let reach = Float(tolerance.whole + tolerance.fade) + 1
        if let additions { add(additions(weights), to: &values) }
        let differences = values - values[own]
        let sizes = differences.replacing(with: -differences, where: differences .< 0)
        // Full as far as anything agrees, none from the double on.
        let pulls = weights * differences * (2 - sizes / reach).clamped(lowerBound: .zero, upperBound: .one)
        let value = (values[own] + (pulls[0] + pulls[1] + pulls[2] + pulls[3])).rounded()
        output[x] = S(min(max(value, 0), Float((1 << combiner.bits) - 1)))
      }
    }
  }

  /// Changes values as the membrane says.
  private func add(_ additions: SIMD4<Float>, to values: inout SIMD4<Float>) {
    let unit = Float(1 << (combiner.bits - 8))
    values += additions * (floor.map { values + $0 * unit } ?? SIMD4(repeating: unit))
  }

  /// Fills `shown` with every choice that occurs, from where it first does to where it last does.
  private mutating func show(row y: Int, _ segments: ArraySlice<JoinedRow.Segment>, _ plan: SelectionPlan) {
    choices.removeAll(keepingCapacity: true)
    for segment in segments {
      for corner in 0..<4 where !choices.contains(segment.corners[corner]) { choices.append(segment.corners[corner]) }
    }
    let width = combiner.tile.region.width
    let combiner = combiner
    if shown.count < choices.count * width { shown = Array(repeating: 0, count: choices.count * width) }
    for (position, choice) in choices.enumerated() {
      guard let first = segments.first(where: { $0.contains(choice) }),
        let last = segments.last(where: { $0.contains(choice) })
      else { continue }
      let columns = first.columns.lowerBound..<last.columns.upperBound
      shown.withUnsafeMutableBufferPointer { shown in
        combiner.write(
          row: y, columns: columns, sources: plan.sourceSets[Int(choice)],
          to: shown.baseAddress! + position * width + columns.lowerBound)
      }
    }
  }
}

/// What the membrane adds to each of four cells' choices between their centres: cells of one choice share what they add,
/// so that nothing jumps within it.
private struct Additions {
  private let added: SIMD4<Float>
  /// Per cell, which of the four show the same.
  private let alike: InlineArray<4, SIMD4<Float>>

  /// - Returns: nil where nothing is added.
  init?(_ segment: JoinedRow.Segment) {
    guard segment.added != .zero else { return nil }
    added = segment.added
    let corners = SIMD4<Int32>(truncatingIfNeeded: segment.corners)
    alike = InlineArray { own in SIMD4<Float>.zero.replacing(with: 1, where: corners .== corners[own]) }
  }

  /// - Parameter weights: of the four cells.
  func callAsFunction(_ weights: SIMD4<Float>) -> SIMD4<Float> {
    var result = added
    for own in 0..<4 {
      let shares = weights * alike[own]
      let sum = shares.sum()
      if sum > 0 { result[own] = (shares * added).sum() / sum }
    }
    return result
  }
}
