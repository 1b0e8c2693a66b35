import Frames

extension Detector {
  /// What encloses all boxes around a pixel of a frame, looked for in ever smaller windows: some boxes hold only
  /// a head. Nil where nobody is seen.
  /// - Parameter threads: tasks that work at once; what is seen does not depend on it.
  /// - Throws: `ShimError`, `CancellationError`.
  func box(
    around pixel: (x: Int, y: Int), in candidates: Candidates, frame: Int, threads: Int
  ) async throws -> Region? {
    let size = candidates.size
    let parts = [1, 2, 4].filter { size.width / $0 > 0 && size.height / $0 > 0 }
    let boxes = try await mapIndices(count: parts.count, threads: threads) { index in
      let (width, height) = (size.width / parts[index], size.height / parts[index])
      let window = Region(
        x: min(max(pixel.x - width / 2, 0), size.width - width),
        y: min(max(pixel.y - height / 2, 0), size.height - height), width: width, height: height)
      return try self.withNetworks { networks in
        try [networks.movers, networks.people].compactMap(\.self)
          .flatMap { try $0.detections(in: candidates.list[frame], window: window, hasChroma: candidates.hasChroma) }
          .map(\.box).filter { $0.contains(x: pixel.x, y: pixel.y) }
      }
    }.joined()
    guard let first = boxes.first else { return nil }
    return boxes.dropFirst().reduce(first) { $0.union($1) }.intersection(size.bounds)
  }
}

extension CellGrid {
  /// The columns and rows of cells that a box in the small pictures touches.
  func region(of box: Region) -> Region {
    let box = box.intersection(Region(x: 0, y: 0, width: columns * Self.side, height: rows * Self.side))
    guard !box.isEmpty else { return Region(x: 0, y: 0, width: 0, height: 0) }
    let (left, top) = (box.x / Self.side, box.y / Self.side)
    return Region(
      x: left, y: top, width: (box.maxX - 1) / Self.side - left + 1, height: (box.maxY - 1) / Self.side - top + 1)
  }

  /// The cells that a box in the small pictures touches.
  func cells(of box: Region) -> RegionMask {
    let region = region(of: box)
    return RegionMask(
      size: size,
      pixels: region.rows.flatMap { row in region.columns.map { row * columns + $0 } })
  }
}
