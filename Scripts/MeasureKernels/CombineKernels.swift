import Frames
import Medians
import Stacking

/// Samples of a plate of 12 megapixels with 4:2:0 chroma.
private let plateSamples = 4032 * 3024 * 3 / 2

/// Seconds on one thread for the medians of a 12-megapixel 4:2:0 plate over each number of frames, and for reading
/// the same bytes once: out of tiles that fit a second-level cache, as the pipeline's are, and out of main memory.
///
/// Names are `BITS.PLACE.FRAMES.median` and `.read`.
func combineSeconds<S: Sample>(frameCounts: [Int], of type: S.Type) -> [String: Double] {
  let tileSamples = TileLayout.width * TileLayout.height
  let tiles = (plateSamples + tileSamples - 1) / tileSamples
  let output = UnsafeMutablePointer<S>.allocate(capacity: tiles * tileSamples)
  // Touched beforehand, so that page faults are not counted.
  output.initialize(repeating: 0, count: tiles * tileSamples)
  let samples = noise(count: tiles * (frameCounts.max() ?? 0) * TileLayout.frameStride, of: type)
  defer {
    output.deallocate()
    samples.deallocate()
  }
  var seconds: [String: Double] = [:]
  var checksum: UInt64 = 0
  for frames in frameCounts {
    for (place, isResident) in [("cache", true), ("memory", false)] {
      let name = "\(S.bitWidth).\(place).\(frames)"
      let step = isResident ? 0 : frames * TileLayout.frameStride
      // What a cache holds is warmed; main memory's first samples have long left it.
      if isResident { checksum &+= sum(samples, count: frames * TileLayout.frameStride) }
      seconds["\(name).read"] = measure {
        for tile in 0..<tiles { checksum &+= sum(samples + tile * step, count: frames * TileLayout.frameStride) }
      }
      seconds["\(name).median"] = measure {
        for tile in 0..<tiles {
          for row in 0..<TileLayout.height {
            medianRow(
              frames, UnsafePointer(samples + tile * step + row * TileLayout.width), count: TileLayout.width,
              into: output + tile * tileSamples + row * TileLayout.width)
          }
        }
      }
    }
  }
  consume(checksum)
  return seconds
}

/// Random samples, by a xorshift.
private func noise<S: Sample>(count: Int, of type: S.Type) -> UnsafeMutablePointer<S> {
  let words = (count * MemoryLayout<S>.size + 7) / 8
  let memory = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  for i in 0..<words {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    memory[i] = state
  }
  return UnsafeMutableRawPointer(memory).assumingMemoryBound(to: S.self)
}

/// The fastest way to look at every byte: a sum of words, which compiles to vector code.
@inline(never)
private func sum<S: Sample>(_ samples: UnsafePointer<S>, count: Int) -> UInt64 {
  let words = UnsafeRawPointer(samples).assumingMemoryBound(to: UInt64.self)
  var sum: UInt64 = 0
  for i in 0..<count * MemoryLayout<S>.size / 8 { sum &+= words[i] }
  return sum
}

/// Keeps the optimiser from dropping what nobody reads.
@inline(never) @_optimize(none)
private func consume(_ value: UInt64) {}
