import Frames

/// The mean of the frames that cover a sample, rounded: without alignment, a long exposure.
func combineMean<S: Sample>(_ tile: WarpedTile, into plane: PlaneBuilder, as type: S.Type) {
  let everything = CleanRule.everything(bits: plane.bits)
  let black = S(tile.black)
  tile.forEachRow(in: plane, as: S.self) { y, row in
    tile.forEachSpan(row: y, as: S.self) { span in
      let output = row + span.columns.lowerBound
      output.update(repeating: black, count: span.columns.count)
      if span.frames > 0 { takeConsensus(span, everything, plane.bits, output) }
    }
  }
}
