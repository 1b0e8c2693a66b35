import Frames

/// What the frames show at one place where some are clipped, in memory that serves one place after the other.
///
/// What is believed lies apart by what is asked of it, and in no order, so that loops over it vectorise: of 64 frames each of a
/// dozen that are clipped looks at all others.
struct ClippedPlace: ~Copyable {
  /// What may be clipped, that which clips last first; how much it counts is how little it is to be believed,
  /// 1...`certain`.
  let doubted: UnsafeMutablePointer<Seen>
  private(set) var doubtedCount = 0
  /// What is not clipped, or not for certain; how much it counts is its frame's weight times how much of `certain` it is
  /// to be believed.
  private let frames, samples, lights, counts: UnsafeMutablePointer<Int32>
  private var believedCount = 0
  /// How much each of these counts in what a clipped sample becomes.
  private let weights: UnsafeMutablePointer<Int32>
  /// Levels about the median within which samples agree, and by which what is as bright may be darker: 16 of 8 bits.
  private let reach: Int32
  private let bits: Int

  init(frames count: Int, bits: Int) {
    doubted = .allocate(capacity: count)
    frames = .allocate(capacity: count)
    samples = .allocate(capacity: count)
    lights = .allocate(capacity: count)
    counts = .allocate(capacity: count)
    weights = .allocate(capacity: count)
    self.bits = bits
    reach = 16 << Int32(bits - 8)
  }

  deinit {
    doubted.deallocate()
    frames.deallocate()
    samples.deallocate()
    lights.deallocate()
    counts.deallocate()
    weights.deallocate()
  }

  struct Seen {
    let frame: Int
    let sample: Int
    let light: Int
    let counts: Int
  }

  private static let certain = ClippedSamples.certain

  mutating func clear() { (doubtedCount, believedCount) = (0, 0) }

  /// Adds what clips before all that was added.
  mutating func doubt(_ shown: Seen) {
    doubted[doubtedCount] = shown
    doubtedCount += 1
  }

  mutating func believe(_ shown: Seen) {
    frames[believedCount] = Int32(truncatingIfNeeded: shown.frame)
    samples[believedCount] = Int32(truncatingIfNeeded: shown.sample)
    lights[believedCount] = Int32(truncatingIfNeeded: shown.light)
    counts[believedCount] = Int32(truncatingIfNeeded: shown.counts)
    believedCount += 1
  }

  /// What counts instead of a clipped sample. All that is known of it is that it was as bright at least.
  func value(of frame: Seen, weight frameWeight: Int) -> Int {
    weigh(for: frame)
    let (sum, weight) = consensus()
    let enough = frameWeight * Self.certain
    var value = weight > 0 ? Double(sum) / Double(weight) : 0
    if weight < enough {
      let share = Double(weight) / Double(enough)
      value = share * value + (1 - share) * last(before: frame)
    }
    let doubt = Double(frame.counts) / Double(Self.certain)
    return Int(Double(frame.sample) + doubt * (value - Double(frame.sample)) + 0.5)
  }

  /// How much brighter than it came out what is hardly near white may be, as a share, and the share over which that ends.
  private static let (headroom, end): (Float, Float) = (0.5, 0.25)

  /// Sets `weights`: by how bright the others are, gradually, or it would show where noise makes them bright enough. Nor may
  /// they be much brighter, the nearer to white the more.
  private func weigh(for frame: Seen) {
    let (light, itself) = (Int32(truncatingIfNeeded: frame.light), Int32(truncatingIfNeeded: frame.frame))
    let (shift, most) = (Int32(bits - 8), 2 &* reach)
    let (frames, lights, counts, weights) = (frames, lights, counts, weights)
    for index in 0..<believedCount {
      // 0...32.
      let brightness = min(max(2 &* (lights[index] &- light) &+ 3 &* reach, 0), most) &>> shift
      let weight = (counts[index] &* brightness) &>> 5
      weights[index] = frames[index] == itself ? 0 : weight
    }
    // White may be any light.
    guard frame.counts < Self.certain else { return }
    let shown = Float(max(light, 1))
    let headroom = Self.headroom * Float(Self.certain) / Float(Self.certain - frame.counts)
    let (brightest, scale) = (shown * (1 + headroom + Self.end), 32 / (Self.end * shown))
    for index in 0..<believedCount {
      let room = Int32(min(max((brightest - Float(lights[index])) * scale, 0), 32))
      weights[index] = (weights[index] &* room) &>> 5
    }
  }

  /// What the frame shows that clips last, as far as it is doubted; then the next, and in the end the frame itself.
  private func last(before frame: Seen) -> Double {
    var (sum, rest) = (0.0, 1.0)
    for index in 0..<doubtedCount where rest > 0 {
      let share = rest * Double(doubted[index].counts) / Double(Self.certain)
      sum += share * Double(doubted[index].sample)
      rest -= share
    }
    return sum + rest * Double(frame.sample)
  }

  /// The weighted sum of those near the weighted median, which is the mean of two where they divide all weight in halves.
  private func consensus() -> (sum: Int, weight: Int) {
    let all = extremes()
    // Where a sky is white in most frames, none of the others is bright enough to tell. Where those that are agree, as hardly
    // anywhere they do not, all of them lie near their median.
    if all.weight == 0 || all.most &- all.least <= reach { return (all.sum, all.weight) }
    let whole = all.weight
    // Bit by bit, from the highest: the largest level with less than half of all weight below it.
    var lower: Int32 = 0
    for bit in (0..<Int32(bits)).reversed() {
      let trial = lower | 1 &<< bit
      if 2 * weight(below: trial) < whole { lower = trial }
    }
    let upper = 2 * weight(below: lower + 1) == whole ? level(above: lower) : lower
    let (from, to) = (lower &+ upper &- 2 &* reach, lower &+ upper &+ 2 &* reach)
    let (samples, weights) = (samples, weights)
    var (sum, near): (UInt64, UInt32) = (0, 0)
    for index in 0..<believedCount {
      let twice = 2 &* samples[index]
      let mask = ~(((twice &- from) | (to &- twice)) &>> 31)
      let weight = UInt32(bitPattern: weights[index] & mask)
      sum &+= UInt64(UInt32(bitPattern: samples[index])) &* UInt64(weight)
      near &+= weight
    }
    return near > 0 ? (Int(sum), Int(near)) : (Int(lower + upper) / 2 * whole, whole)
  }

  /// The weighted sum of all, and the least and the largest sample that counts.
  private func extremes() -> (sum: Int, weight: Int, least: Int32, most: Int32) {
    let (samples, weights) = (samples, weights)
    var (sum, whole): (UInt64, UInt32) = (0, 0)
    var (least, most) = (Int32.max, Int32.min)
    for index in 0..<believedCount {
      let (sample, weight) = (samples[index], weights[index])
      sum &+= UInt64(UInt32(bitPattern: sample)) &* UInt64(UInt32(bitPattern: weight))
      whole &+= UInt32(bitPattern: weight)
      least = min(least, weight > 0 ? sample : .max)
      most = max(most, weight > 0 ? sample : .min)
    }
    return (Int(sum), Int(whole), least, most)
  }

  /// What all samples below a level weigh.
  private func weight(below level: Int32) -> Int {
    let (samples, weights) = (samples, weights)
    // 65,535 frames at most, each of which counts 255 * 255 at most.
    var sum: UInt32 = 0
    for index in 0..<believedCount {
      // All bits where the difference is negative; a branch would keep the loop from being vectorised.
      let mask = (samples[index] &- level) &>> 31
      sum &+= UInt32(bitPattern: weights[index] & mask)
    }
    return Int(sum)
  }

  /// The least sample that counts above a level, or the level itself.
  private func level(above level: Int32) -> Int32 {
    var least = Int32.max
    for index in 0..<believedCount where samples[index] > level && weights[index] > 0 {
      least = min(least, samples[index])
    }
    return least == .max ? level : least
  }
}
