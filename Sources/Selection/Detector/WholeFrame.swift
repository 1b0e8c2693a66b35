package import Frames

extension Detector {
  /// Boxes around the people, vehicles and animals that are found in a frame, in its pixels.
  /// - Parameters:
  ///   - places: pixels of the frame around which somebody may be; nil for anywhere.
  ///   - threads: tasks that work at once; the result does not depend on it.
  /// - Throws: `ShimError`, `AllocationError`, `CancellationError`.
  package func boxes(in frame: Frame, around places: [Point]? = nil, threads: Int) async throws -> [Region] {
    let alone = RegisteredFrame(index: 0, frame: frame, alignment: .reference(planes: frame.planes.count))
    let pictures = SmallPictures(frames: [alone], size: frame.size)
    let small = try pictures.candidate(of: 0)
    let grid = CellGrid(pictureSize: pictures.size)
    let side = CellGrid.side * pictures.factor
    let cells = places?.map { Int($0.y) / side * grid.columns + Int($0.x) / side } ?? Array(0..<grid.count)
    // A corner speaks for some pixels around it.
    let undecided = RegionMask(size: grid.size, pixels: cells.filter((0..<grid.count).contains)).grown(by: 1)
    let windows = DetectorWindows(undecided: undecided, cell: CellGrid.side, in: pictures.size)
    let found = try await mapIndices(count: windows.count, threads: threads) { window in
      try self.detections(in: small, window, of: windows, hasChroma: pictures.hasChroma)
    }
    return found.joined().map { somebody in
      let (box, factor) = (somebody.box, pictures.factor)
      return Region(
        x: box.x * factor, y: box.y * factor, width: box.width * factor, height: box.height * factor)
    }
  }
}
