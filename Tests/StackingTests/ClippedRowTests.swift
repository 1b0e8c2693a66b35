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
    let colours: Int
    let colourStep: Int
    let areChroma: Bool
    let bits: Int

    struct Shown {
      var samples: [Int]
      var light: [Int]
      var colours: [[Int]]
      var doubts: [UInt8]?
      var rooms: [UInt8]
      var covered: Range<Int>
      var weight: Int
    }

    init(frames count: Int, columns: Int, _ kind: Kind, using random: inout Generator) {
      (self.columns, bits, lightStep) = (columns, kind.bits, kind.lightStep)
      (colours, colourStep, areChroma) = (kind.colours, kind.colourStep, kind.areChroma)
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
        let colours = (0..<colours).map { _ in
          (0..<(columns + colourStep - 1) / colourStep).map { _ in
            top / 2 + Int.random(in: -top / 20..<top / 20, using: &random)
          }
        }
        let rooms = (0..<columns).map { _ in UInt8.random(in: 0..<80, using: &random) }
        let first = Int.random(in: 0..<columns / 3, using: &random)
        frames.append(
          Shown(
            samples: samples, light: lightStep == 1 ? samples : light, colours: colours,
            doubts: frame % 3 < 2 ? doubts : nil, rooms: rooms,
            covered: first..<Int.random(in: columns * 2 / 3...columns, using: &random),
            weight: Int.random(in: 1...16, using: &random)))
      }
      marked = (0..<count).filter { frames[$0].doubts != nil }.shuffled(using: &random)
    }

    func repaired<S: Sample>(as type: S.Type) -> [[Int]] {
      let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: frames.count * Int(CS_CLIPPED_SCRATCH) * 4, alignment: 64)
      // Rows that stay where they are.
      var kept: [UnsafeMutableRawPointer] = []
      defer {
        for memory in kept + [scratch] { memory.deallocate() }
      }
      func row<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
        let start = UnsafeMutablePointer<T>.allocate(capacity: values.count)
        start.initialize(from: values, count: values.count)
        kept.append(start)
        return start
      }
      func plane(_ levels: [Int]) -> UnsafeMutablePointer<S> { row(levels.map { S($0) }) }
      let rows = frames.map { shown in
        let samples = plane(shown.samples)
        let colours = shown.colours.map { UnsafeRawPointer(plane($0)) } + Array(repeating: nil, count: 3 - colours)
        return cs_clipped_row(
          samples: samples, light: lightStep == 1 ? UnsafePointer(samples) : UnsafePointer(plane(shown.light)),
          colours: (colours[0], colours[1], colours[2]), doubts: shown.doubts.map { UnsafePointer(row($0)) },
          rooms: shown.doubts.map { _ in UnsafePointer(row(shown.rooms)) }, first: Int32(shown.covered.lowerBound),
          past: Int32(shown.covered.upperBound), weight: Int32(shown.weight))
      }
      cs_repair_clipped(
        rows, Int32(rows.count), marked.map(Int32.init), Int32(marked.count),
        cs_clipped_layout(
          bits: Int32(bits), columns: Int32(columns), light_step: Int32(lightStep),
          light_columns: Int32(columns * lightStep), colours: Int32(colours), colour_step: Int32(colourStep),
          colour_columns: Int32(frames[0].colours.first?.count ?? 0), are_chroma: areChroma ? 1 : 0), scratch)
      return rows.map { row in
        let samples = row.samples.assumingMemoryBound(to: S.self)
        return (0..<columns).map { Int(samples[$0]) }
      }
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

    /// Of 32, how far a slack will do.
    private func share(_ slack: Int) -> Int { min(max(2 * slack + 3 * reach, 0), 2 * reach) >> (bits - 8) }

    /// How much each frame counts.
    private func weights(for frame: Int, _ x: Int) -> [Int] {
      let light = frames[frame].light[x * lightStep]
      return frames.indices.map { other in
        guard other != frame, frames[other].covered.contains(x) else { return 0 }
        let its = frames[other].light[x * lightStep]
        var weight = (frames[other].weight * (255 - doubt(other, x)) * share(its - light)) >> 5
        if doubt(frame, x) < 255 {
          let shown = Float(max(light, 1))
          let headroom = Float(0.5) * 255 / Float(255 - doubt(frame, x))
          let room = (shown * (1 + headroom + 0.25) - Float(its)) * (32 / (0.25 * shown))
          weight = (weight * Int(min(max(room, 0), 32))) >> 5
        }
        let most = Int(frames[frame].rooms[x]) << (bits - 8)
        let changes = (0..<colours).map {
          abs(frames[other].colours[$0][x / colourStep] - frames[frame].colours[$0][x / colourStep])
        }
        let slack = min(most - (its - light), (areChroma ? most / 2 : most) - (changes.max() ?? -most))
        return (weight * share(slack)) >> 5
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

  struct Kind: Sendable, CustomTestStringConvertible {
    var bits: Int
    var lightStep = 1
    var colours: Int
    var colourStep = 1
    var areChroma = false
    var testDescription: String { "\(bits) bits, light of \(lightStep), \(colours) colours of \(colourStep)" }

    /// Luma by whole and halved chroma, chroma, one of three colours, and grey.
    static let all = [
      Kind(bits: 8, colours: 2, areChroma: true), Kind(bits: 8, colours: 2, colourStep: 2, areChroma: true),
      Kind(bits: 8, lightStep: 2, colours: 2, areChroma: true), Kind(bits: 12, colours: 3),
      Kind(bits: 16, colours: 2, colourStep: 4, areChroma: true), Kind(bits: 16, lightStep: 2, colours: 0),
    ]
  }

  @Test(arguments: Kind.all)
  func isWhatOneSampleAfterTheOtherGives(_ kind: Kind) {
    var random = Generator(state: 3)
    for frames in [2, 3, 7, 12, 40] {
      for columns in [17, 64, 101] {
        let row = Row(frames: frames, columns: columns, kind, using: &random)
        let repaired = kind.bits > 8 ? row.repaired(as: UInt16.self) : row.repaired(as: UInt8.self)
        var changed = 0
        for frame in 0..<frames {
          for x in 0..<columns {
            #expect(repaired[frame][x] == row.expected(frame, x), "frame \(frame) of \(frames), column \(x)")
            changed += repaired[frame][x] == row.frames[frame].samples[x] ? 0 : 1
          }
        }
        #expect(changed > columns / 12)
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
