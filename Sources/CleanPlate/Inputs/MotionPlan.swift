import Frames

extension SelectionPlan {
  /// The same, but where a frame's details are kept it speaks alone: others have fewer.
  func keeping(_ frame: RegisteredIndex) -> SelectionPlan {
    let sets = sourceSets.map { set in
      set.detailFrame == frame ? SourceSet(frames: [frame], detailFrame: frame) : set
    }
    return SelectionPlan(
      cell: cell, columns: columns, rows: rows, sourceSets: sets, choice: choice, support: support,
      unresolved: unresolved, compared: compared, noise: noise, enlargedErrors: enlargedErrors,
      colourOffsets: colourOffsets, membrane: membrane)
  }
}
