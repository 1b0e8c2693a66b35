import Frames
import Testing

@testable import Medians

@Suite struct MedianRowTests {
  /// A count that is no multiple of any vector's length.
  static let count = 101
  static let many = [33, 34, 64, 99, 100, 255, 256, 257, 499, 500]

  /// The medians of `columns[x]`, as the kernel sees them and as sorting says.
  private func medians<S: Sample>(_ columns: [[S]]) -> (kernel: [S], sorted: [S]) {
    let frames = columns[0].count
    var samples = [S](repeating: 0, count: frames * MedianLayout.frameStride)
    for (x, column) in columns.enumerated() {
      for (k, sample) in column.enumerated() { samples[k * MedianLayout.frameStride + x] = sample }
    }
    let guardValue: S = 77
    var output = [S](repeating: guardValue, count: columns.count + 1)
    medianRow(frames, samples, count: columns.count, into: &output)
    #expect(output.last == guardValue, "wrote past the end")
    let sorted = columns.map { column -> S in
      let sorted = column.sorted()
      return S((Int(sorted[(frames - 1) / 2]) + Int(sorted[frames / 2]) + 1) >> 1)
    }
    return (output.dropLast(), sorted)
  }

  private func check<S: Sample>(_ columns: [[S]]) {
    for start in stride(from: 0, to: columns.count, by: Self.count) {
      let (kernel, sorted) = medians(Array(columns[start..<min(start + Self.count, columns.count)]))
      #expect(kernel == sorted)
    }
  }

  private func randomColumns<S: Sample>(frames: Int, values: ClosedRange<S>, seed: UInt64) -> [[S]] {
    var random = Generator(state: seed)
    return (0..<4 * Self.count).map { _ in (0..<frames).map { _ in S.random(in: values, using: &random) } }
  }

  private func structuredColumns<S: Sample>(frames: Int) -> [[S]] {
    var columns: [[S]] = [
      Array(repeating: 0, count: frames), Array(repeating: .max, count: frames),
      (0..<frames).map { S(truncatingIfNeeded: $0) }, (0..<frames).map { S.max - S(truncatingIfNeeded: $0) },
      (0..<frames).map { $0 % 2 == 0 ? 0 : .max },
    ]
    // As many ones as just do, or just do not, make the median: in every rotation.
    for ones in (frames / 2 - 1)...(frames / 2 + 2) {
      for turn in 0..<min(frames, 64) {
        columns.append((0..<frames).map { ($0 + turn) % frames < ones ? .max : S.max / 2 })
      }
    }
    return columns
  }

  @Test(arguments: Array(1...40) + many) func matchesASortOfBytes(frames: Int) {
    check(randomColumns(frames: frames, values: 0...UInt8.max, seed: 1))
    check(randomColumns(frames: frames, values: 127...UInt8(129), seed: 2))
    check(structuredColumns(frames: frames) as [[UInt8]])
  }

  @Test(arguments: Array(1...40) + many) func matchesASortOfWords(frames: Int) {
    check(randomColumns(frames: frames, values: 0...UInt16.max, seed: 3))
    check(randomColumns(frames: frames, values: 32766...UInt16(32769), seed: 4))
    check(structuredColumns(frames: frames) as [[UInt16]])
  }

  @Test func fillsAWholeRow() {
    let columns = (0..<MedianLayout.frameStride).map { x in (0..<5).map { UInt8(truncatingIfNeeded: x * 31 + $0 * 97) }
    }
    let (kernel, sorted) = medians(columns)
    #expect(kernel == sorted)
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
