import Frames

/// The mean of the frames that cover a sample, rounded: without alignment, a long exposure.
func combineMean<S: Sample>(_ tile: WarpedTile, into plane: PlaneBuilder, as type: S.Type) {
  for y in 0..<tile.region.height {
    let row = plane.row(tile.region.y + y, as: S.self).baseAddress! + tile.region.x
    tile.forEachSpan(row: y, as: S.self) { span in
      let output = row + span.columns.lowerBound
      output.update(repeating: S(tile.black), count: span.columns.count)
      if span.frames > 0 {
        takeConsensus(span, CleanRule.everything(bits: plane.bits).tolerance, plane.bits, output)
      }
    }
  }
}
