import Frames

/// The median over any number of bytes per pixel; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
) {
  if frames < 256 {
    select(frames, samples, count, output, counter: UInt8.self)
  } else {
    select(frames, samples, count, output, counter: UInt16.self)
  }
}

/// The median over any number of 16-bit samples per pixel; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt16>, count: Int, into output: UnsafeMutablePointer<UInt16>
) {
  select(frames, samples, count, output, counter: UInt16.self)
}

/// Pixels that are worked on at once, so that their samples stay in the first cache over the passes.
private let blockCount = 256

/// Finds the lower middle sample bit by bit, from the highest: it is the largest value that no more samples lie
/// below than its rank. The upper middle one is the same, or the next larger.
@inline(__always)
private func select<S: Sample, C: FixedWidthInteger & UnsignedInteger>(
  _ frames: Int, _ samples: UnsafePointer<S>, _ count: Int, _ output: UnsafeMutablePointer<S>, counter: C.Type
) {
  let rank = C((frames - 1) / 2)
  withUnsafeTemporaryAllocation(of: S.self, capacity: 3 * blockCount) { values in
    withUnsafeTemporaryAllocation(of: C.self, capacity: blockCount) { counts in
      let lower = values.baseAddress!
      let trial = lower + blockCount
      let upper = trial + blockCount
      let below = counts.baseAddress!
      for start in stride(from: 0, to: count, by: blockCount) {
        let block = samples + start
        let pixels = min(blockCount, count - start)
        for x in 0..<pixels { lower[x] = 0 }
        for bit in (0..<S.bitWidth).reversed() {
          for x in 0..<pixels { trial[x] = lower[x] | (1 &<< S(bit)) }
          countBelow(trial, block, frames, pixels, into: below)
          for x in 0..<pixels { lower[x] = below[x] <= rank ? trial[x] : lower[x] }
        }
        if frames % 2 == 1 {
          for x in 0..<pixels { output[start + x] = lower[x] }
          continue
        }
        nextLarger(lower, block, frames, pixels, into: upper)
        // No sample equals 2^bits: where `lower` is the largest value, everything that is not below is equal.
        for x in 0..<pixels { trial[x] = lower[x] == S.max ? S.max : lower[x] &+ 1 }
        countBelow(trial, block, frames, pixels, into: below)
        for x in 0..<pixels {
          let isAlone = below[x] <= rank + 1 && lower[x] != S.max
          let other = isAlone ? upper[x] : lower[x]
          output[start + x] = (lower[x] | other) &- ((lower[x] ^ other) &>> 1)
        }
      }
    }
  }
}

/// How many samples of each pixel lie below `trial`.
@inline(__always)
private func countBelow<S: Sample, C: FixedWidthInteger & UnsignedInteger>(
  _ trial: UnsafePointer<S>, _ samples: UnsafePointer<S>, _ frames: Int, _ pixels: Int,
  into below: UnsafeMutablePointer<C>
) {
  for x in 0..<pixels { below[x] = 0 }
  var frame = 0
  // Four frames at a time spare loads and stores of the counters.
  while frame + 4 <= frames {
    let row = samples + frame * TileLayout.frameStride
    for x in 0..<pixels {
      let t = trial[x]
      let a: C = row[x] < t ? 1 : 0
      let b: C = row[x + TileLayout.frameStride] < t ? 1 : 0
      let c: C = row[x + 2 * TileLayout.frameStride] < t ? 1 : 0
      let d: C = row[x + 3 * TileLayout.frameStride] < t ? 1 : 0
      below[x] = below[x] &+ (a &+ b) &+ (c &+ d)
    }
    frame += 4
  }
  while frame < frames {
    let row = samples + frame * TileLayout.frameStride
    for x in 0..<pixels { below[x] = below[x] &+ (row[x] < trial[x] ? 1 : 0) }
    frame += 1
  }
}

/// The smallest sample of each pixel above `lower`, or the type's maximum.
@inline(__always)
private func nextLarger<S: Sample>(
  _ lower: UnsafePointer<S>, _ samples: UnsafePointer<S>, _ frames: Int, _ pixels: Int,
  into upper: UnsafeMutablePointer<S>
) {
  for x in 0..<pixels { upper[x] = S.max }
  for frame in 0..<frames {
    let row = samples + frame * TileLayout.frameStride
    for x in 0..<pixels {
      let candidate = row[x] > lower[x] ? row[x] : S.max
      upper[x] = min(upper[x], candidate)
    }
  }
}
