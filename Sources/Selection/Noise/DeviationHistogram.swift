/// How far samples lie from their median, counted by the median's value and by its gradient: where that is steep,
/// frames differ because they are registered a little off.
struct DeviationHistogram: Sendable {
  /// Bins of values: eighths of the range.
  static let valueBins = 8
  /// Upper ends of the bins of gradients, in levels of 8 bits; one more is open.
  let gradientEnds: [Int]
  /// Deviations that are told apart; larger ones count as the largest.
  let levels: Int
  /// Levels of deviation that one possible deviation stands for, since samples are rounded.
  let step: Double
  /// `counts[(value * gradientBins + gradient) * levels + deviation]`
  private(set) var counts: [Int]

  var gradientBins: Int { gradientEnds.count + 1 }

  init(gradientEnds: [Int], levels: Int, step: Double) {
    self.gradientEnds = gradientEnds
    self.levels = levels
    self.step = step
    counts = Array(repeating: 0, count: Self.valueBins * (gradientEnds.count + 1) * levels)
  }

  /// The bin of a gradient, in levels of 8 bits.
  @inline(__always)
  func gradientBin(_ gradient: Int) -> Int { gradientEnds.firstIndex { gradient < $0 } ?? gradientEnds.count }

  /// Where the counts of a bin begin.
  @inline(__always)
  func start(value: Int, gradient: Int) -> Int { (value * gradientBins + gradient) * levels }

  /// Gives `body` the counts, to count in: a deviation's is at the bin's start plus the deviation.
  mutating func withUnsafeCounts(_ body: (UnsafeMutableBufferPointer<Int>) -> Void) {
    counts.withUnsafeMutableBufferPointer { body($0) }
  }

  /// Adds what another of the same bins counted.
  mutating func add(_ other: DeviationHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
  }

  /// The deviations in some bins, together.
  func deviations(values: Range<Int>, gradients: Range<Int>) -> Deviations {
    var sum = Deviations(counts: Array(repeating: 0, count: levels), step: step)
    for value in values {
      for gradient in gradients {
        let start = start(value: value, gradient: gradient)
        sum.add(counts[start..<start + levels])
      }
    }
    return sum
  }

  /// The deviations in the flattest bins of a value that hold a share of its samples.
  func flattestDeviations(value: Int, share: Double) -> Deviations {
    let whole = deviations(values: value..<value + 1, gradients: 0..<gradientBins).total
    let enough = Int(Double(whole) * share)
    var gradients = 0
    var sum = Deviations(counts: Array(repeating: 0, count: levels), step: step)
    while gradients < gradientBins && sum.total < enough {
      let start = start(value: value, gradient: gradients)
      sum.add(counts[start..<start + levels])
      gradients += 1
    }
    return sum
  }

  /// Deviations by their size.
  struct Deviations: Sendable {
    private var counts: [Int]
    private let step: Double
    private(set) var total = 0

    fileprivate init(counts: [Int], step: Double) {
      self.counts = counts
      self.step = step
    }

    fileprivate mutating func add(_ more: ArraySlice<Int>) {
      for (level, count) in more.enumerated() {
        counts[level] += count
        total += count
      }
    }

    /// Fewer tell nothing.
    var isWorthwhile: Bool { total >= 200 }

    /// The standard deviation, in levels, that their median suggests: movers count little.
    var standardDeviation: Double {
      let target = 0.5 * Double(total)
      var below = 0.0
      for (level, count) in counts.enumerated() {
        if below + Double(count) >= target {
          // Each level stands for the values that round to it.
          let part = (target - below) / Double(count)
          return (level == 0 ? part * step / 2 : Double(level) + (part - 0.5) * step) / 0.6745
        }
        below += Double(count)
      }
      return 0
    }
  }
}
