import Frames
import Medians

/// The median over the frames that show a pixel, over all where none does: one more candidate.
/// - Throws: `AllocationError`, `CancellationError`.
func medianCandidate(of frames: [Candidate], size: Size, threads: Int) async throws -> Candidate {
  let strip = 32
  var builders: [PlaneBuilder] = []
  for _ in frames[0].planes { builders.append(try PlaneBuilder(width: size.width, height: size.height, bits: 8)) }
  let targets = builders
  try await forEachIndex(count: (size.height + strip - 1) / strip, threads: threads) { index in
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: frames.count * MedianLayout.frameStride) { scratch in
      for y in index * strip..<min((index + 1) * strip, size.height) {
        for (columns, showing) in parts(of: y, frames, width: size.width) {
          for (plane, target) in targets.enumerated() {
            for (position, frame) in showing.enumerated() {
              frames[frame].planes[plane].withUnsafeRow(y, as: UInt8.self) { row in
                (scratch.baseAddress! + position * MedianLayout.frameStride).update(
                  from: row.baseAddress! + columns.lowerBound, count: columns.count)
              }
            }
            medianRow(
              showing.count, UnsafePointer(scratch.baseAddress!), count: columns.count,
              into: target.row(y, as: UInt8.self).baseAddress! + columns.lowerBound)
          }
        }
      }
    }
  }
  let planes = builders.map { $0.finish() }
  return Candidate(
    planes: planes, gradient: try gradient(of: planes[0]),
    coverage: Array(repeating: 0..<Int32(size.width), count: size.height), clipped: nil)
}

/// Divides a row where coverage changes: columns, and the frames that show them, or all where none does.
private func parts(of y: Int, _ frames: [Candidate], width: Int) -> [(columns: Range<Int>, frames: [Int])] {
  var cuts: Set = [0, width]
  for frame in frames where !frame.coverage[y].isEmpty {
    cuts.insert(Int(frame.coverage[y].lowerBound))
    cuts.insert(Int(frame.coverage[y].upperBound))
  }
  for x in stride(from: MedianLayout.frameStride, to: width, by: MedianLayout.frameStride) { cuts.insert(x) }
  let sorted = cuts.sorted()
  return zip(sorted, sorted.dropFirst()).map { start, end in
    let showing = frames.indices.filter { frames[$0].covers(x: start, y: y) }
    return (start..<end, showing.isEmpty ? Array(frames.indices) : showing)
  }
}

/// At each pixel the steeper of the differences between its neighbours across and down, in levels; at the border the
/// pixel itself stands in for the neighbour that is missing.
/// - Throws: `AllocationError`.
func gradient(of plane: Plane) throws(AllocationError) -> Plane {
  let builder = try PlaneBuilder(width: plane.width, height: plane.height, bits: 8)
  for y in 0..<plane.height {
    let target = builder.row(y, as: UInt8.self)
    plane.withUnsafeRow(y, as: UInt8.self) { here in
      plane.withUnsafeRow(max(y - 1, 0), as: UInt8.self) { above in
        plane.withUnsafeRow(min(y + 1, plane.height - 1), as: UInt8.self) { below in
          let last = plane.width - 1
          func steeper(_ x: Int, _ left: Int, _ right: Int) -> UInt8 {
            max(here[left].distance(from: here[right]), above[x].distance(from: below[x]))
          }
          target[0] = steeper(0, 0, min(1, last))
          for x in 1..<max(last, 1) { target[x] = steeper(x, x &- 1, x &+ 1) }
          target[last] = steeper(last, max(last - 1, 0), last)
        }
      }
    }
  }
  return builder.finish()
}

extension UInt8 {
  /// The absolute difference.
  @inline(__always)
  fileprivate func distance(from other: UInt8) -> UInt8 { Swift.max(self, other) &- Swift.min(self, other) }
}
