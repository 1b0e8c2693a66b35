import Frames

/// What was decided, cell by cell.
struct CellDecisions: Sendable {
  let choices: Elements<CellChoice>
  let unconfirmed: Unconfirmed

  init(_ choices: Elements<CellChoice>, _ unconfirmed: Unconfirmed) {
    self.choices = choices
    self.unconfirmed = unconfirmed
  }

  /// Whether somebody is left in a cell, as far as can be told.
  func isUnresolved(_ cell: Int) -> Bool { choices[cell].isUnresolved || unconfirmed.mask.isSet[cell] }

  /// The cells in which somebody is left.
  func unresolved(in grid: CellGrid) -> RegionMask {
    RegionMask(size: grid.size, isSet: (0..<choices.count).map(isUnresolved))
  }
}

extension SelectionPlan {
  /// What was decided about the cells, the frames renamed to positions among all registered frames.
  /// - Parameters:
  ///   - cell: luma pixels along a cell's side.
  ///   - noise: of full-size samples, one per plane.
  init(
    _ decisions: CellDecisions, _ grid: CellGrid, cell: Int, compared: ComparedFrames,
    noise: [NoiseLevel], enlargedErrors: [RegisteredIndex: Double], colourOffsets: [RegisteredIndex: [SmoothField]],
    membrane: Membrane? = nil
  ) {
    let choices = decisions.choices
    struct Key: Hashable {
      var sources: CandidateSet?
      var detail: UInt8?
    }
    var sourceSets = [SourceSet.everybody]
    var known = [Key(sources: nil, detail: nil): UInt16(0)]
    let choice = (0..<choices.count).map { index in
      let key = Key(sources: choices[index].sources, detail: choices[index].detail)
      if let position = known[key] { return position }
      // So many distinct sets mean that nothing is settled; the median is as good as any.
      guard let position = UInt16(exactly: sourceSets.count) else { return 0 }
      let frames = key.sources.map { set in
        compared.positions.indices.filter { set.contains($0) }.map { compared.positions[$0] }
      }
      let detail = key.detail.map { compared.positions[Int($0)] }
      sourceSets.append(SourceSet(frames: frames, detailFrame: detail))
      known[key] = position
      return position
    }
    self.init(
      cell: cell, columns: grid.columns, rows: grid.rows, sourceSets: sourceSets, choice: choice,
      support: (0..<choices.count).map { choices[$0].support },
      unresolved: (0..<choices.count).map(decisions.isUnresolved),
      compared: compared.positions.count, noise: noise, enlargedErrors: enlargedErrors,
      colourOffsets: colourOffsets, membrane: membrane)
  }
}
