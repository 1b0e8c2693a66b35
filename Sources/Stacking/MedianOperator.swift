import Frames
import Medians

/// The exact median of the frames that cover a sample, for every sample of the tile.
///
/// An even number of frames gives the mean of the two middle samples, rounded up.
func combineMedian<S: Sample>(_ tile: WarpedTile, into plane: PlaneBuilder, as type: S.Type) {
  let black = S(tile.black)
  tile.forEachRow(in: plane, as: S.self) { y, row in
    tile.forEachSpan(row: y, as: S.self) { span in
      let output = row + span.columns.lowerBound
      guard span.frames > 0 else { return output.update(repeating: black, count: span.columns.count) }
      medianRow(span.frames, span.samples, count: span.columns.count, into: output)
    }
  }
}
