package import Frames

extension Detector {
  /// Boxes around the people, vehicles and animals that are found anywhere in a frame, in its pixels.
  /// - Parameter threads: tasks that work at once; the result does not depend on it.
  /// - Throws: `ShimError`, `AllocationError`, `CancellationError`.
  package func boxes(in frame: Frame, threads: Int) async throws -> [Region] {
    let alone = RegisteredFrame(index: 0, frame: frame, alignment: .reference(planes: frame.planes.count))
    let pictures = SmallPictures(frames: [alone], size: frame.size)
    let small = try pictures.candidate(of: 0)
    let grid = CellGrid(pictureSize: pictures.size)
    let everywhere = RegionMask(size: grid.size, isSet: Array(repeating: true, count: grid.count))
    let windows = DetectorWindows(undecided: everywhere, cell: CellGrid.side, in: pictures.size)
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
