import Frames

/// The median over any number of frames of bytes; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt8>, count: Int, into output: UnsafeMutablePointer<UInt8>
) {
  select(frames, samples, count, output)
}

/// The median over any number of frames of 16-bit samples; the parameters are `medianRow`'s.
func medianBySelection(
  _ frames: Int, _ samples: UnsafePointer<UInt16>, count: Int, into output: UnsafeMutablePointer<UInt16>
) {
  select(frames, samples, count, output)
}

/// Pixels that are worked on at once, so that their samples stay in the nearest caches over the passes.
private let blockCount = 128

/// Finds the lower middle sample bit by bit, from the highest: it is the largest value that enough samples
/// reach. The upper middle one is the same, or the next larger.
@inline(__always)
private func select<S: Sample>(
  _ frames: Int, _ samples: UnsafePointer<S>, _ count: Int, _ output: UnsafeMutablePointer<S>
) {
  let enough = UInt16(frames - (frames - 1) / 2)
  withUnsafeTemporaryAllocation(of: S.self, capacity: 4 * blockCount) { values in
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: blockCount) { counts in
      let lower = values.baseAddress!
      let (trial, upper, partial) = (lower + blockCount, lower + 2 * blockCount, lower + 3 * blockCount)
      let reaching = counts.baseAddress!
      for start in stride(from: 0, to: count, by: blockCount) {
        let block = samples + start
        let pixels = min(blockCount, count - start)
        for x in 0..<pixels { lower[x] = 0 }
        for bit in (0..<S.bitWidth).reversed() {
          for x in 0..<pixels { trial[x] = lower[x] | (1 &<< S(bit)) }
          countReaching(trial, block, frames, pixels, partial, into: reaching)
          for x in 0..<pixels { lower[x] = choose(trial[x], over: lower[x], where: reaching[x] >= enough) }
        }
        if frames % 2 == 1 {
          for x in 0..<pixels { output[start + x] = lower[x] }
          continue
        }
        // The upper middle sample is another one where only the upper half exceeds the lower middle.
        for x in 0..<pixels { trial[x] = lower[x] == S.max ? S.max : lower[x] &+ 1 }
        countReaching(trial, block, frames, pixels, partial, into: reaching)
        nextLarger(lower, block, frames, pixels, into: upper)
        for x in 0..<pixels {
          let other = choose(upper[x], over: lower[x], where: reaching[x] >= enough &- 1)
          output[start + x] = (lower[x] | other) &- ((lower[x] ^ other) &>> 1)
        }
      }
    }
  }
}

/// How many samples of each pixel are `trial` or more.
///
/// Counts in samples' own type, which takes no widening, and adds up before it can overflow.
@inline(__always)
private func countReaching<S: Sample>(
  _ trial: UnsafePointer<S>, _ samples: UnsafePointer<S>, _ frames: Int, _ pixels: Int,
  _ partial: UnsafeMutablePointer<S>, into reaching: UnsafeMutablePointer<UInt16>
) {
  for x in 0..<pixels { reaching[x] = 0 }
  let most = min(Int(S.max), 65535) / 8 * 8
  for first in stride(from: 0, to: frames, by: most) {
    let end = min(first + most, frames)
    for x in 0..<pixels { partial[x] = 0 }
    var frame = first
    // Eight frames at a time spare loads and stores of the counters.
    while frame + 8 <= end {
      let row = samples + frame * MedianLayout.frameStride
      for x in 0..<pixels {
        let t = trial[x]
        let a = one(row[x], t) &+ one(row[x &+ MedianLayout.frameStride], t)
        let b = one(row[x &+ 2 * MedianLayout.frameStride], t) &+ one(row[x &+ 3 * MedianLayout.frameStride], t)
        let c = one(row[x &+ 4 * MedianLayout.frameStride], t) &+ one(row[x &+ 5 * MedianLayout.frameStride], t)
        let d = one(row[x &+ 6 * MedianLayout.frameStride], t) &+ one(row[x &+ 7 * MedianLayout.frameStride], t)
        partial[x] = partial[x] &+ ((a &+ b) &+ (c &+ d))
      }
      frame += 8
    }
    while frame < end {
      let row = samples + frame * MedianLayout.frameStride
      for x in 0..<pixels { partial[x] = partial[x] &+ one(row[x], trial[x]) }
      frame += 1
    }
    for x in 0..<pixels { reaching[x] = reaching[x] &+ UInt16(truncatingIfNeeded: partial[x]) }
  }
}

/// `first` or `second` without a branch, which would keep the loop about it from being vectorised.
@inline(__always)
private func choose<S: Sample>(_ first: S, over second: S, where condition: Bool) -> S {
  let mask: S = condition ? .max : 0
  return (first & mask) | (second & ~mask)
}

/// 1 if `sample` reaches `trial`, otherwise 0.
@inline(__always)
private func one<S: Sample>(_ sample: S, _ trial: S) -> S {
  sample >= trial ? 1 : 0
}

/// The smallest sample of each pixel above `lower`; `S.max` where there is none.
@inline(__always)
private func nextLarger<S: Sample>(
  _ lower: UnsafePointer<S>, _ samples: UnsafePointer<S>, _ frames: Int, _ pixels: Int,
  into upper: UnsafeMutablePointer<S>
) {
  for x in 0..<pixels { upper[x] = S.max }
  for frame in 0..<frames {
    let row = samples + frame * MedianLayout.frameStride
    for x in 0..<pixels {
      let candidate = row[x] > lower[x] ? row[x] : S.max
      upper[x] = min(upper[x], candidate)
    }
  }
}
