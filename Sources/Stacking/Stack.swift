package import Frames
import Resampling

/// Warps every frame onto the reference and combines them, tile by tile, on `request.threads` tasks.
///
/// A warped frame is never held whole: a worker warps one tile of every frame into scratch of about the size of a
/// second-level cache, combines it, and writes the plate's part.
/// - Parameters:
///   - request: what to stack.
///   - progress: is told, from any task, how many of how many tiles are done.
/// - Returns: the plate's planes, of the crop's size on the request's grids.
/// - Throws: `AllocationError`, `CancellationError`.
package func stack(
  _ request: StackRequest, progress: @Sendable @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
) async throws -> [Plane] {
  let builders = try request.builders()
  try await stack(TileLayout.tiles(size: request.crop.size), of: request, into: builders, progress: progress)
  return builders.map { $0.finish() }
}

/// Stacks parts of a plate again, and takes the others as they were.
/// - Parameters:
///   - regions: what is to be stacked, in pixels of the plate.
///   - plate: planes that an earlier request of the same frames, grids and crop gave.
/// - Returns: planes as `stack(_:progress:)` gives them, and what of the plate was stacked: whole tiles.
/// - Throws: as `stack(_:progress:)`.
package func stack(
  _ request: StackRequest, renewing regions: [Region], of plate: [Plane]
) async throws -> (planes: [Plane], renewed: [Region]) {
  let tiles = TileLayout.tiles(size: request.crop.size).filter { tile in
    regions.contains { !$0.intersection(tile).isEmpty }
  }
  guard !tiles.isEmpty else { return (plate, []) }
  let builders = try request.builders()
  for (plane, builder) in zip(plate, builders) { builder.fill(from: plane) }
  try await stack(tiles, of: request, into: builders) { _, _ in }
  return (builders.map { $0.finish() }, tiles)
}

extension StackRequest {
  /// A plane of all frames.
  fileprivate func warps(of plane: Int) -> [PlaneWarp] {
    // Counting the destination's samples from the crop's corner lets tiles begin where cells of the kernel's lattice do.
    var grid = grids[plane]
    grid.offsetX += Double(crop.x)
    grid.offsetY += Double(crop.y)
    return frames.map { PlaneWarp(of: $0, plane: plane, to: grid) }
  }

  /// Room for the plate's planes.
  fileprivate func builders() throws(AllocationError) -> [PlaneBuilder] {
    try PlaneBuilder.builders(of: grids.map { $0.planeSize(for: crop.size) }, bits: frames[0].frame.bits)
  }
}

/// Stacks some tiles of a plate.
private func stack(
  _ tiles: [Region], of request: StackRequest, into builders: [PlaneBuilder],
  progress: @Sendable @escaping (_ done: Int, _ total: Int) -> Void
) async throws {
  let weights = request.weights
  let first = request.frames[0].frame
  let bytesPerSample = first.bits > 8 ? 2 : 1
  let done = Counter()
  let spilled = SpilledFrames(request, tiles: tiles.count)
  let saturation = Saturation(request)
  let rules = builders.enumerated().map { CleanRule(noise: request.plan?.noise[$0], bits: $1.bits) }
  let warps = request.grids.indices.map(request.warps)
  let makeScratch: @Sendable () -> [WarpedTile] = {
    request.grids.indices.map { plane in
      WarpedTile(
        weights: weights, bytesPerSample: bytesPerSample, black: first.encoding.black(plane: plane, bits: first.bits))
    }
  }
  try await forEachIndex(count: tiles.count, threads: request.threads, scratch: makeScratch) { index, scratch in
    for (plane, tile) in scratch.enumerated() {
      tile.region = request.grids[plane].tile(tiles[index])
      tile.render(warps[plane])
    }
    saturation.repair(scratch)
    combine(request, scratch, rules, into: builders)
    let count = done.increment()
    spilled.discard(after: count)
    progress(count, tiles.count)
  }
}

/// - Parameter rules: of the planes, for `clean`.
private func combine(
  _ request: StackRequest, _ tiles: [WarpedTile], _ rules: [CleanRule], into builders: [PlaneBuilder]
) {
  for (plane, builder) in builders.enumerated() {
    if builder.bits > 8 {
      combine(request, tiles, rules[plane], plane: plane, into: builder, as: UInt16.self)
    } else {
      combine(request, tiles, rules[plane], plane: plane, into: builder, as: UInt8.self)
    }
  }
}

private func combine<S: Sample>(
  _ request: StackRequest, _ tiles: [WarpedTile], _ rule: CleanRule, plane: Int, into builder: PlaneBuilder,
  as type: S.Type
) {
  let tile = tiles[plane]
  switch request.combine {
  case .clean:
    combineClean(
      tile, rule: rule, plan: request.plan, plane: plane, grid: request.grids[plane], crop: request.crop, into: builder,
      as: type)
  case .median: combineMedian(tile, into: builder, as: type)
  case .mean: combineMean(tile, into: builder, as: type)
  case .lighten:
    combineWholePixels(request, tiles, plane: plane, rule: Extreme(isDarkest: false), into: builder, as: type)
  case .darken:
    combineWholePixels(request, tiles, plane: plane, rule: Extreme(isDarkest: true), into: builder, as: type)
  case .mode: combineWholePixels(request, tiles, plane: plane, rule: CommonColour(), into: builder, as: type)
  }
}
