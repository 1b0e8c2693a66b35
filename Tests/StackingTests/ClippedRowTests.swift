import CShimKernels
import Frames
import Testing

@testable import Stacking

/// `cs_repair_clipped` beside what it is to compute, one sample after the other.
@Suite struct ClippedRowTests {
  /// Some frames in one row.
  private struct Row {
    var frames: [Shown] = []
    /// Those that have doubts, that which clips last first.
    var marked: [Int] = []
    let columns: Int
    let lightStep: Int
    let bits: Int

    struct Shown {
      var samples: [Int]
      var light: [Int]
      var doubts: [UInt8]?
      var covered: Range<Int>
      var weight: Int
    }

    init(frames count: Int, columns: Int, lightStep: Int, bits: Int, using random: inout Generator) {
      (self.columns, self.lightStep, self.bits) = (columns, lightStep, bits)
      let top = 1 << bits
      for frame in 0..<count {
        let samples = (0..<columns).map { x in
          // Places where all agree, and where none do.
          x / 20 % 2 == 0
            ? top * 7 / 8 + Int.random(in: 0..<top / 32, using: &random) : Int.random(in: 0..<top, using: &random)
        }
        let light = (0..<columns * lightStep).map { _ in Int.random(in: top / 2..<top, using: &random) }
        // White, gradually, and not at all; and a stretch where nobody is in doubt.
        let doubts = (0..<columns).map { x in
          (40..<60).contains(x) ? 0 : UInt8(min(max(Int.random(in: -200..<400, using: &random), 0), 255))
        }
        let first = Int.random(in: 0..<columns / 3, using: &random)
        frames.append(
          Shown(
            samples: samples, light: lightStep == 1 ? samples : light, doubts: frame % 3 < 2 ? doubts : nil,
            covered: first..<Int.random(in: columns * 2 / 3...columns, using: &random),
            weight: Int.random(in: 1...16, using: &random)))
      }
      marked = (0..<count).filter { frames[$0].doubts != nil }.shuffled(using: &random)
    }

    func repaired<S: Sample>(as type: S.Type) -> [[Int]] {
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: frames.count * Int(CS_CLIPPED_SCRATCH) * 4, alignment: 64)
      defer { scratch.deallocate() }
      var all = frames.flatMap { $0.samples.map { S($0) } }
      let lights = frames.flatMap { $0.light.map { S($0) } }
      let doubts = frames.flatMap { $0.doubts ?? Array(repeating: 0, count: columns) }
      all.withUnsafeMutableBufferPointer { all in
        lights.withUnsafeBufferPointer { lights in
          doubts.withUnsafeBufferPointer { doubts in
            let rows = frames.indices.map { k in
              cs_clipped_row(
                samples: all.baseAddress! + k * columns,
                light: lightStep == 1
                  ? UnsafePointer(all.baseAddress! + k * columns) : lights.baseAddress! + k * columns * lightStep,
                doubts: frames[k].doubts == nil ? nil : doubts.baseAddress! + k * columns,
                first: Int32(frames[k].covered.lowerBound), past: Int32(frames[k].covered.upperBound),
                weight: Int32(frames[k].weight))
            }
            cs_repair_clipped(
              rows, Int32(rows.count), marked.map(Int32.init), Int32(marked.count), Int32(columns), Int32(lightStep),
              Int32(columns * lightStep), Int32(bits), scratch)
          }
        }
      }
      return frames.indices.map { k in all[k * columns..<(k + 1) * columns].map { Int($0) } }
    }

    func doubt(_ frame: Int, _ x: Int) -> Int {
      frames[frame].covered.contains(x) ? Int(frames[frame].doubts?[x] ?? 0) : 0
    }

    /// What a sample of a frame is to become.
    func expected(_ frame: Int, _ x: Int) -> Int {
      let (sample, doubt) = (frames[frame].samples[x], doubt(frame, x))
      guard doubt > 0 else { return sample }
      let (sum, weight) = consensus(weights(for: frame, x), x)
      var value = weight > 0 ? Double(sum) / Double(weight) : 0
      let enough = frames[frame].weight * 255
      if weight < enough {
        let share = Double(weight) / Double(enough)
        value = share * value + (1 - share) * last(frame, x)
      }
      return Int(Double(sample) + Double(doubt) / 255 * (value - Double(sample)) + 0.5)
    }

    private var reach: Int { 16 << (bits - 8) }

    /// How much each frame counts.
    private func weights(for frame: Int, _ x: Int) -> [Int] {
      let light = frames[frame].light[x * lightStep]
      return frames.indices.map { other in
        guard other != frame, frames[other].covered.contains(x) else { return 0 }
        let its = frames[other].light[x * lightStep]
        let brightness = min(max(2 * (its - light) + 3 * reach, 0), 2 * reach) >> (bits - 8)
        var weight = (frames[other].weight * (255 - doubt(other, x)) * brightness) >> 5
        if doubt(frame, x) < 255 {
          let shown = Float(max(light, 1))
          let headroom = Float(0.5) * 255 / Float(255 - doubt(frame, x))
          let room = (shown * (1 + headroom + 0.25) - Float(its)) * (32 / (0.25 * shown))
          weight = (weight * Int(min(max(room, 0), 32))) >> 5
        }
        return weight
      }
    }

    /// What those frames show that clip last, as far as they are doubted.
    private func last(_ frame: Int, _ x: Int) -> Double {
      var (sum, rest) = (0.0, 1.0)
      for other in marked {
        let share = rest * Double(doubt(other, x)) / 255
        sum += share * Double(frames[other].samples[x])
        rest -= share
      }
      return sum + rest * Double(frames[frame].samples[x])
    }

    /// The weighted sum of what lies near the weighted median.
    private func consensus(_ weights: [Int], _ x: Int) -> (sum: Int, weight: Int) {
      let seen = frames.indices.filter { weights[$0] > 0 }.map { (frames[$0].samples[x], weights[$0]) }
        .sorted { $0.0 < $1.0 }
      let whole = seen.reduce(0) { $0 + $1.1 }
      guard let least = seen.first?.0, let most = seen.last?.0, most - least > reach else {
        return (seen.reduce(0) { $0 + $1.0 * $1.1 }, whole)
      }
      // The samples with less than, and with at most, half of all weight below them.
      func below(_ level: Int) -> Int { seen.filter { $0.0 < level }.reduce(0) { $0 + $1.1 } }
      let lower = seen.last { 2 * below($0.0) < whole }!.0
      let upper = seen.last { 2 * below($0.0) <= whole }!.0
      let near = seen.filter { abs(2 * $0.0 - lower - upper) <= 2 * reach }
      guard !near.isEmpty else { return ((lower + upper) / 2 * whole, whole) }
      return (near.reduce(0) { $0 + $1.0 * $1.1 }, near.reduce(0) { $0 + $1.1 })
    }
  }

  @Test(arguments: [(8, 1), (8, 2), (12, 1), (16, 2)])
  func isWhatOneSampleAfterTheOtherGives(bits: Int, lightStep: Int) {
    var random = Generator(state: 3)
    for frames in [2, 3, 7, 12, 40] {
      for columns in [17, 64, 101] {
        let row = Row(frames: frames, columns: columns, lightStep: lightStep, bits: bits, using: &random)
        let repaired = bits > 8 ? row.repaired(as: UInt16.self) : row.repaired(as: UInt8.self)
        var changed = 0
        for frame in 0..<frames {
          for x in 0..<columns {
            #expect(repaired[frame][x] == row.expected(frame, x), "frame \(frame) of \(frames), column \(x)")
            changed += repaired[frame][x] == row.frames[frame].samples[x] ? 0 : 1
          }
        }
        #expect(changed > columns / 8)
      }
    }
  }
}

/// Knuth's linear congruential generator for 64 bits (MMIX).
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 33)
  }
}
