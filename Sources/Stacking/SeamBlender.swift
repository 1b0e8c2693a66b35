import Frames

/// Joins what neighbouring cells chose.
struct SeamBlender<S: Sample> {
  private let combiner: CleanOperator<S>
  /// What each choice shows, one row of the tile after another.
  private var shown: [S] = []
  private var choices: [UInt16] = []

  init(_ combiner: CleanOperator<S>) { self.combiner = combiner }

  /// Writes neighbouring segments of a row of the tile.
  /// - Parameter output: where the tile's first column goes.
  mutating func write(
    row y: Int, _ segments: ArraySlice<JoinedRow.Segment>, of row: JoinedRow, _ plan: SelectionPlan,
    to output: UnsafeMutablePointer<S>
  ) {
    show(row: y, segments, plan)
    let width = combiner.tile.region.width
    for segment in segments {
      let corners = [segment.corners.0, segment.corners.1, segment.corners.2, segment.corners.3]
      // Positions in `shown`; what occurs twice is added up once.
      let places = corners.map { corner in (choices.firstIndex(of: corner) ?? 0) * width }
      for x in segment.columns {
        let (right, below) = (row.right(at: x), row.below)
        let weights = ((1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below)
        let own = places[(below < 0.5 ? 0 : 2) + (right < 0.5 ? 0 : 1)]
        let value = Float(shown[own + x])
        let reach = Float(combiner.rule.tolerance[Int(shown[own + x]) >> (combiner.bits - 8)]) + 1
        func pull(_ place: Int, _ weight: Float) -> Float {
          let difference = Float(shown[place + x]) - value
          // Full up to the tolerance, none from its double on.
          return weight * difference * min(max(2 - abs(difference) / reach, 0), 1)
        }
        let sum =
          pull(places[0], weights.0) + pull(places[1], weights.1) + pull(places[2], weights.2)
          + pull(places[3], weights.3)
        output[x] = S((value + sum).rounded())
      }
    }
  }

  /// Fills `shown` with every choice that occurs, from where it first does to where it last does.
  private mutating func show(row y: Int, _ segments: ArraySlice<JoinedRow.Segment>, _ plan: SelectionPlan) {
    choices.removeAll(keepingCapacity: true)
    for segment in segments {
      for choice in [segment.corners.0, segment.corners.1, segment.corners.2, segment.corners.3]
      where !choices.contains(choice) {
        choices.append(choice)
      }
    }
    let width = combiner.tile.region.width
    let combiner = combiner
    if shown.count < choices.count * width { shown = Array(repeating: 0, count: choices.count * width) }
    for (position, choice) in choices.enumerated() {
      let uses = segments.filter { $0.contains(choice) }
      guard let first = uses.first, let last = uses.last else { continue }
      let columns = first.columns.lowerBound..<last.columns.upperBound
      shown.withUnsafeMutableBufferPointer { shown in
        combiner.write(
          row: y, columns: columns, sources: plan.sourceSets[Int(choice)],
          to: shown.baseAddress! + position * width + columns.lowerBound)
      }
    }
  }
}
