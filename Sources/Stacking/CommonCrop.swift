package import Frames

/// The largest upright rectangle of the reference that all `footprints` cover.
///
/// Coverage by a homography is convex, so a rectangle is covered when its top and bottom rows are; the search
/// takes every pair of rows out of a coarse set and then refines the best pair to single rows.
/// - Parameters:
///   - size: the reference's, in pixels.
///   - footprints: where the accepted frames lie.
///   - alignment: x and y of the result are multiples of these (the steps of the coarsest chroma grid).
///   - threads: that work at once; the result does not depend on it.
/// - Returns: nil when no rectangle is covered by all.
package func commonRegion(
  size: Size, footprints: [Footprint], alignment: (x: Int, y: Int) = (1, 1), threads: Int = 1
) -> Region? {
  let step = max(1, size.height / 192)
  let coarseRows = Array(stride(from: 0, to: size.height - 1, by: step)) + [size.height - 1]
  @Sendable func measured(_ row: Int) -> Range<Int> {
    var common = 0..<size.width
    for footprint in footprints where !common.isEmpty {
      common = common.clamped(to: footprint.coveredColumns(row: row, width: size.width))
    }
    return common
  }
  let coarse = mapIndicesInPlace(count: coarseRows.count, threads: threads) { measured(coarseRows[$0]) }
  var spans = Dictionary(zip(coarseRows, coarse)) { first, _ in first }
  func span(_ row: Int) -> Range<Int> {
    if let known = spans[row] { return known }
    let common = measured(row)
    spans[row] = common
    return common
  }
  func rectangle(_ top: Int, _ bottom: Int) -> Region {
    let columns = span(top).clamped(to: span(bottom))
    let left = (columns.lowerBound + alignment.x - 1) / alignment.x * alignment.x
    let first = (top + alignment.y - 1) / alignment.y * alignment.y
    return Region(x: left, y: first, width: max(0, columns.upperBound - left), height: max(0, bottom + 1 - first))
  }
  var best = (region: Region(x: 0, y: 0, width: 0, height: 0), top: 0, bottom: 0)
  func consider(_ top: Int, _ bottom: Int) {
    let region = rectangle(top, bottom)
    if region.area > best.region.area { best = (region, top, bottom) }
  }
  for (i, top) in coarseRows.enumerated() {
    for bottom in coarseRows[i...].reversed() {
      // No pair with this top and a smaller height can win any more.
      if (bottom + 1 - top) * span(top).count <= best.region.area { break }
      consider(top, bottom)
    }
  }
  guard !best.region.isEmpty else { return nil }
  // The optimum lies within one coarse step of the best coarse pair; alternate over both edges.
  for _ in 0..<2 {
    let (top, bottom) = (best.top, best.bottom)
    for row in max(0, top - step)...min(bottom, top + step) { consider(row, best.bottom) }
    for row in max(best.top, bottom - step)...min(size.height - 1, bottom + step) { consider(best.top, row) }
  }
  return best.region
}
