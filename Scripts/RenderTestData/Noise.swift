/// Deterministic randomness without the C library's transcendental functions, which differ between machines.
struct Random {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return mixed(state)
  }

  /// Within 0..<1.
  mutating func uniform() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + uniform() * (range.upperBound - range.lowerBound)
  }

  /// Nearly normal, mean 0, standard deviation 1: a sum of twelve 16-bit uniforms (Irwin and Hall).
  mutating func normal() -> Double {
    var sum = 0.0
    for _ in 0..<3 {
      let bits = next()
      for shift in stride(from: UInt64(0), to: 64, by: 16) { sum += Double(bits >> shift & 0xFFFF) + 0.5 }
    }
    return sum / 65536 - 6
  }
}

private func mixed(_ value: UInt64) -> UInt64 {
  var z = value
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return z ^ (z >> 31)
}

/// A number within 0..<1 that belongs to a lattice point.
func lattice(_ i: Int, _ j: Int, _ salt: UInt64) -> Double {
  let key = UInt64(truncatingIfNeeded: i) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(truncatingIfNeeded: j)
  return Double(mixed(mixed(key) &+ salt) >> 11) / 9_007_199_254_740_992
}

/// Value noise about 0, within -1...1, in cells of size 1.
func noise(_ x: Double, _ y: Double, _ salt: UInt64) -> Double {
  let (fx, fy) = (x.rounded(.down), y.rounded(.down))
  let (i, j) = (Int(fx), Int(fy))
  let (u, v) = (smooth(x - fx), smooth(y - fy))
  let top = lattice(i, j, salt) * (1 - u) + lattice(i + 1, j, salt) * u
  let bottom = lattice(i, j + 1, salt) * (1 - u) + lattice(i + 1, j + 1, salt) * u
  return 2 * (top * (1 - v) + bottom * v) - 1
}

/// Value noise of several octaves, about within -1...1; the coarsest has cells of `cell`.
func fractal(_ x: Double, _ y: Double, cell: Double, octaves: Int, salt: UInt64) -> Double {
  var (sum, weight, size, amplitude) = (0.0, 0.0, cell, 1.0)
  for octave in 0..<octaves {
    sum += amplitude * noise(x / size, y / size, salt &+ UInt64(octave) &* 7919)
    weight += amplitude
    size /= 2
    amplitude *= 0.65
  }
  return 1.6 * sum / weight
}

/// 0 below 0, 1 above 1, smooth between.
func smooth(_ t: Double) -> Double {
  let t = min(max(t, 0), 1)
  return t * t * (3 - 2 * t)
}
