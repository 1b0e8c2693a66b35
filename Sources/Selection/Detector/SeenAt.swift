import Frames

extension Detector {
  /// What encloses all boxes around a pixel of a frame, looked for in ever smaller windows: some boxes hold only
  /// a head. Nil where nobody is seen.
  /// - Throws: `ShimError`.
  func box(around pixel: (x: Int, y: Int), in candidates: Candidates, frame: Int) throws -> Region? {
    let network = try Network(self)
    let size = candidates.size
    var whole: Region?
    for part in [1, 2, 4] {
      let (width, height) = (size.width / part, size.height / part)
      guard width > 0 && height > 0 else { continue }
      let window = Region(
        x: min(max(pixel.x - width / 2, 0), size.width - width),
        y: min(max(pixel.y - height / 2, 0), size.height - height), width: width, height: height)
      for found in try network.detections(in: candidates.list[frame], window: window, hasChroma: candidates.hasChroma)
      where found.box.contains(Region(x: pixel.x, y: pixel.y, width: 1, height: 1)) {
        whole = whole.map { $0.union(found.box) } ?? found.box
      }
    }
    return whole?.intersection(size.bounds)
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
