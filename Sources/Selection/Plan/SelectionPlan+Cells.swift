import Frames

extension SelectionPlan {
  /// What was decided about the cells, the frames renamed to positions among all registered frames.
  /// - Parameters:
  ///   - cell: luma pixels along a cell's side.
  ///   - noise: of full-size samples, one per plane.
  init(
    _ choices: Elements<CellChoice>, _ unconfirmed: Unconfirmed, _ grid: CellGrid, cell: Int, compared: ComparedFrames,
    noise: [NoiseLevel]
  ) {
    struct Key: Hashable {
      var sources: CandidateSet?
      var keepsDetail: Bool
    }
    var sourceSets = [SourceSet.everybody]
    var known = [Key(sources: nil, keepsDetail: false): UInt16(0)]
    let choice = (0..<choices.count).map { index in
      let key = Key(sources: choices[index].sources, keepsDetail: choices[index].keepsDetail)
      if let position = known[key] { return position }
      // So many distinct sets mean that nothing is settled; the median is as good as any.
      guard let position = UInt16(exactly: sourceSets.count) else { return 0 }
      let frames = key.sources.map { set in
        compared.positions.indices.filter { set.contains($0) }.map { compared.positions[$0] }
      }
      let detail = key.keepsDetail ? compared.positions[compared.reference] : nil
      sourceSets.append(SourceSet(frames: frames, detailFrame: detail))
      known[key] = position
      return position
    }
    self.init(
      cell: cell, columns: grid.columns, rows: grid.rows, sourceSets: sourceSets, choice: choice,
      support: (0..<choices.count).map { choices[$0].support },
      unresolved: (0..<choices.count).map { choices[$0].isUnresolved || unconfirmed.mask.isSet[$0] },
      compared: compared.positions.count,
      noise: noise)
  }
}
