package import Frames

extension Plane {
  /// The plane's bytes at other places; beyond the border the nearest sample counts.
  /// - Throws: `AllocationError`.
  package func resampled(columns: GridTaps, rows: GridTaps) throws(AllocationError) -> Plane {
    precondition(bits == 8)
    let builder = try PlaneBuilder(width: columns.count, height: rows.count, bits: 8)
    // Repeated beyond the border, as far as taps reach.
    let before = max(-(columns.first.first ?? 0), 0)
    let after = max((columns.first.last ?? 0) + columns.width - width, 0)
    var line = [Float](repeating: 0, count: before + width + after)
    // The first weight of every sample, then the second of every sample ...
    let weights = (0..<columns.width).map { tap in
      (0..<columns.count).map { columns.weights[$0 * columns.width + tap] }
    }
    let places = columns.first.map { Int32($0 + before) }
    var sums = [Float](repeating: 0, count: columns.count)
    for y in 0..<rows.count {
      blend(rows, y, into: &line, from: before)
      for x in sums.indices { sums[x] = 0.5 }
      for (tap, weights) in weights.enumerated() { add(line, at: places, tap, weights, to: &sums) }
      let target = builder.row(y, as: UInt8.self)
      for x in 0..<target.count { target[x] = min(sums[x], 255).truncatedByte }
    }
    return builder.finish()
  }

  /// Row `y` of the result at this plane's width, from `line[start]` on.
  private func blend(_ rows: GridTaps, _ y: Int, into line: inout [Float], from start: Int) {
    line.withUnsafeMutableBufferPointer { line in
      let inner = UnsafeMutableBufferPointer(rebasing: line[start...].prefix(width))
      for x in 0..<inner.count { inner[x] = 0 }
      for tap in 0..<rows.width {
        let weight = rows.weights[y * rows.width + tap]
        guard weight != 0 else { continue }
        withUnsafeRow(min(max(rows.first[y] + tap, 0), height - 1), as: UInt8.self) { row in
          add(row.baseAddress!, weight, to: inner)
        }
      }
      for x in 0..<start { line[x] = inner[0] }
      for x in start + width..<line.count { line[x] = inner[width - 1] }
    }
  }
}

/// Adds a row of samples to sums, `weight` times.
@inline(__always)
package func add(_ row: UnsafePointer<UInt8>, _ weight: Float, to sums: UnsafeMutableBufferPointer<Float>) {
  for x in 0..<sums.count { sums[x] += weight * Float(row[x]) }
}

/// Adds to every sum the sample of a line that is `tap` past the sum's first, by the sum's weight.
/// - Parameters:
///   - first: one per sum.
///   - weights: one per sum.
package func add(_ line: [Float], at first: [Int32], _ tap: Int, _ weights: [Float], to sums: inout [Float]) {
  line.withUnsafeBufferPointer { line in
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        sums.withUnsafeMutableBufferPointer { sums in
          for x in 0..<sums.count { sums[x] += weights[x] * line[Int(first[x]) &+ tap] }
        }
      }
    }
  }
}
