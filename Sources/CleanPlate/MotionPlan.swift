import Frames

extension SelectionPlan {
  /// The same, but where a frame's details are kept it speaks alone: others have fewer.
  /// - Parameter position: the frame's, in the list of layers.
  func keeping(_ position: Int) -> SelectionPlan {
    let sets = sourceSets.map { set in
      set.detailFrame == position ? SourceSet(frames: [position], detailFrame: position) : set
    }
    return SelectionPlan(
      cell: cell, columns: columns, rows: rows, sourceSets: sets, choice: choice, support: support,
      unresolved: unresolved, compared: compared, noise: noise, colourOffsets: colourOffsets)
  }
}
