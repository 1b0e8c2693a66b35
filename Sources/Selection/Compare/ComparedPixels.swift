import CShimKernels
import Frames

/// What all candidates show in a rectangle of pixels, and how far they lie apart there: a task's scratch.
final class ComparedPixels {
  private static let kinds = 5

  private let candidates: Candidates
  private let noise: [cs_seen_noise]
  /// Of every candidate `kinds`: brightness, blue, red, gradient, and where it may be clipped, nil for nowhere; all have one
  /// stride.
  private let planes: [UnsafePointer<UInt8>?]
  private let planeStride: Int
  /// Bytes that one of these takes here.
  private let room: Int
  private let levels: UnsafeMutablePointer<UInt8>
  private let seen: UnsafeMutablePointer<cs_seen>
  private let distances: UnsafeMutablePointer<Float>
  private let kernelPlanes: cs_seen_planes
  /// From one candidate's distances to the next one's: the pixels of the rectangle, rounded up to whole vectors.
  private(set) var stride = 0

  /// - Parameter most: pixels of the largest rectangle.
  init(_ candidates: Candidates, _ noise: [ComparedNoise], most: Int) {
    self.candidates = candidates
    self.noise = noise.map(\.kernelNoise)
    kernelPlanes = candidates.kernelPlanes
    // Whoever holds the candidates keeps their samples.
    planes = candidates.list.flatMap { candidate in
      (candidate.threePlanes + [candidate.gradient, candidate.clipped]).map { plane in
        plane?.withUnsafeBytes { $0.assumingMemoryBound(to: UInt8.self) }
      }
    }
    planeStride = candidates.list[0].gradient.stride
    room = Self.wholeVectors(most)
    levels = .allocate(capacity: planes.count * room)
    levels.initialize(repeating: 0, count: planes.count * room)
    distances = .allocate(capacity: candidates.count * room)
    distances.initialize(repeating: 0, count: candidates.count * room)
    seen = .allocate(capacity: candidates.count)
    for (index, candidate) in candidates.list.enumerated() {
      let base = levels + index * Self.kinds * room
      seen[index] = cs_seen(
        brightness: base, blue: base + room, red: base + 2 * room, gradient: base + 3 * room,
        clipped: candidate.clipped == nil ? nil : base + 4 * room)
    }
  }

  deinit {
    levels.deallocate()
    seen.deallocate()
    distances.deallocate()
  }

  private static func wholeVectors(_ pixels: Int) -> Int { (pixels + 7) / 8 * 8 }

  /// Takes a rectangle of pixels, row by row; beyond the border are those next to it.
  func take(columns: Range<Int>, rows: Range<Int>) {
    let (lastX, lastY) = (candidates.size.width - 1, candidates.size.height - 1)
    let count = columns.count * rows.count
    stride = Self.wholeVectors(count)
    withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { places in
      var next = 0
      for y in rows {
        let row = min(max(y, 0), lastY) * planeStride
        for x in columns {
          places[next] = row + min(max(x, 0), lastX)
          next += 1
        }
      }
      for (index, plane) in planes.enumerated() {
        let target = levels + index &* room
        guard let plane else { continue }
        for k in 0..<count { target[k] = plane[places[k]] }
      }
    }
  }

  /// Lets a candidate show what another one shows at a pixel of the rectangle.
  func fill(_ pixel: Int, of candidate: Int, from other: Int) {
    for kind in 0..<Self.kinds {
      levels[(candidate * Self.kinds + kind) * room + pixel] = levels[(other * Self.kinds + kind) * room + pixel]
    }
  }

  /// Squared distances of a candidate from some others, in units of the noise: those from the first of them, pixel by
  /// pixel, then, `stride` further, those from the next. Valid until it is called again.
  /// - Parameter explained: what clipping explains, which counts as 0.
  func distances(
    of one: Int, from others: Range<Int>, but explained: cs_explained = CS_CLIPPED_BRIGHTNESS
  ) -> UnsafePointer<Float> {
    cs_compare(
      seen + one, seen + others.lowerBound, Int32(others.count), noise, kernelPlanes, explained, Int32(stride),
      distances)
    return UnsafePointer(distances)
  }
}
