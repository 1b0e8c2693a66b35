import CShim
import Frames
import ShimSupport

extension SelectionHandle {
  /// Pixels by which boxes are grown: they tend to cut hands and feet off.
  private static let margin: Int32 = 3

  /// Lets the detector look at every frame, where frames disagree, and keeps what it sees.
  /// - Throws: `ShimError`, `CancellationError`.
  func lookForOccupants(
    with detector: Detector, threads: Int, progress: @escaping @Sendable (Double) -> Void
  ) async throws {
    let plan = cs_selection_result(pointer)
    let (columns, rows) = (Int(plan.columns), Int(plan.rows))
    let rivals = UnsafeBufferPointer(start: cs_selection_rivals(pointer), count: columns * rows)
    let windows = detectorWindows(
      open: rivals.map { $0 == 2 }, columns: columns, cell: Int(CS_SELECTION_CELL), in: size)
    guard !windows.isEmpty else { return }
    try check(cs_selection_expect_occupants(pointer))
    let done = Counter()
    let load: @Sendable () throws -> Network = { try Network(detector) }
    try await forEachIndex(count: frames, threads: threads, scratch: load) { frame, network in
      for window in windows {
        for box in try self.detections(network, frame: frame, window: window) {
          cs_selection_occupy(
            self.pointer, Int32(frame), box.x - Self.margin, box.y - Self.margin, box.width + 2 * Self.margin,
            box.height + 2 * Self.margin, box.score)
        }
      }
      progress(Double(done.increment()) / Double(self.frames))
    }
  }

  /// The boxes found in a part of a frame, in pixels of the whole.
  func detections(_ network: Network, frame: Int, window: Region) throws(ShimError) -> [cs_detection] {
    let found = try network.find(in: colours(frame: frame, window: window), size: window.size)
    return found.map { box in
      var box = box
      box.x += Int32(window.x)
      box.y += Int32(window.y)
      return box
    }
  }

  /// A part of a frame as R, G, B bytes.
  private func colours(frame: Int, window: Region) -> [UInt8] {
    let stored = (0..<planes).map { UnsafePointer(samples(frame: frame, plane: $0)) }
    var rgb = [UInt8](repeating: 0, count: 3 * window.area)
    var next = 0
    for y in window.y..<window.y + window.height {
      for x in window.x..<window.x + window.width {
        let p = y * size.width + x
        let first = Int(stored[0][p])
        if planes == 1 {
          (rgb[next], rgb[next + 1], rgb[next + 2]) = (UInt8(first), UInt8(first), UInt8(first))
        } else if hasChroma {
          // ITU-R BT.601, in 1/1024; another standard's colours are near enough for a detector.
          let (blue, red) = (Int(stored[1][p]) - 128, Int(stored[2][p]) - 128)
          rgb[next] = UInt8(clamping: first + (1436 * red) >> 10)
          rgb[next + 1] = UInt8(clamping: first - (352 * blue + 731 * red) >> 10)
          rgb[next + 2] = UInt8(clamping: first + (1815 * blue) >> 10)
        } else {
          (rgb[next], rgb[next + 1], rgb[next + 2]) = (stored[1][p], UInt8(first), stored[2][p])
        }
        next += 3
      }
    }
    return rgb
  }
}
