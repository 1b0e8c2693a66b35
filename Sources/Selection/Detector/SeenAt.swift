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
          .map(\.box).filter { $0.contains(Region(x: pixel.x, y: pixel.y, width: 1, height: 1)) }
      }
    }.joined()
    guard let first = boxes.first else { return nil }
    return boxes.dropFirst().reduce(first) { $0.union($1) }.intersection(size.bounds)
  }
}

extension CellGrid {
  /// The cells that a box in the small pictures touches.
  func cells(of box: Region) -> RegionMask {
    var cells = RegionMask(size: size)
    for row in box.y / Self.side...min(box.maxY / Self.side, rows - 1) {
      for column in box.x / Self.side...min(box.maxX / Self.side, columns - 1) {
        cells.isSet[row * columns + column] = true
      }
    }
    return cells
  }
}
