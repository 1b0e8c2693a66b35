/// How far samples lie from their median, or from each other, counted by the median's value and by its gradient: where that
/// is steep, frames differ because they are registered a little off.
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

  /// The flattest bins of a value that hold a share of its samples.
  func flattestBins(value: Int, share: Double) -> Range<Int> {
    let totals = (0..<gradientBins).map { deviations(values: value..<value + 1, gradients: $0..<$0 + 1).total }
    let enough = Int(Double(totals.reduce(0, +)) * share)
    var (gradients, total) = (0, 0)
    while gradients < gradientBins && total < enough {
      total += totals[gradients]
      gradients += 1
    }
    return 0..<gradients
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

    /// The standard deviation, in levels, of the narrowest peak at zero, however little of the whole is in it; nil where
    /// there is none.
    ///
    /// It ends where deviations become rare: the least width is looked for within which they lie three times as densely
    /// as from twice to four times as far out. What lies there as densely as anywhere, since people differ by anything,
    /// hardly changes that width.
    var peak: Double? {
      var width = Self.leastWidth * step
      while 4 * width < Double(counts.count) {
        let (peak, all) = (count(within: width), count(within: 4 * width))
        let isPeak = all >= Self.leastShare * Double(total)
        if isPeak && 2 * peak >= Self.contrast * (all - count(within: 2 * width)) { return width / Self.widthOfNormal }
        width *= 1.02
      }
      return nil
    }

    /// Of the whole that a peak and what it rises from hold.
    private static let leastShare = 0.02

    private static let contrast = 3.0
    /// In steps: less cannot be told from deviations that are rounded to none.
    private static let leastWidth = 0.4
    /// The width at which a normal distribution has that contrast, in standard deviations.
    private static let widthOfNormal = 0.5163

    /// How many are smaller than a deviation, in levels; each level stands for the values that round to it.
    private func count(within deviation: Double) -> Double {
      let end = deviation / step
      guard end >= 0.5 else { return 2 * end * Double(counts[0]) }
      let whole = Int(end - 0.5)
      let last = (whole + 1) * Int(step)
      let all = stride(from: 0, to: min(last, counts.count), by: Int(step)).reduce(0) { $0 + Double(counts[$1]) }
      return all + (last < counts.count ? (end - 0.5 - Double(whole)) * Double(counts[last]) : 0)
    }
  }
}
