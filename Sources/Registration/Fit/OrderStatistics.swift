/// The robust spread of residual lengths: the standard deviation along one axis that their median suggests.
func robustSpread(_ lengths: consuming [Double]) -> Double {
  guard !lengths.isEmpty else { return 0 }
  // The median of a Rayleigh distribution is 1.1774 standard deviations.
  return median(lengths) / 1.1774
}

/// The standard deviation that errors suggest of which half may be movers': the nearer ones tell the noise.
/// - Parameter errors: absolute ones; one or more.
func spreadAmongMovers(_ errors: consuming [Double]) -> Double { 1.4826 * percentile(errors, 0.35) * 1.5 }

/// Standard deviations from which on Tukey's bisquare gives no weight: where errors are normal, the fit is as good as that of
/// least squares with 95 % of them (Beaton and Tukey, Technometrics 16(2), 1974).
let bisquareReach = 4.685

/// A weight as Tukey's bisquare leaves it.
/// - Parameters:
///   - error: an absolute one, below `cutoff`.
///   - cutoff: from where on nothing is left.
@inline(__always)
func bisquare(_ weight: Double, error: Double, cutoff: Double) -> Double {
  let t = error / cutoff
  return weight * (1 - t * t) * (1 - t * t)
}

/// - Parameter values: one or more.
func median(_ values: consuming [Double]) -> Double {
  let middle = values.count / 2
  let upper = values.select(middle)
  // What is left of the middle is no larger.
  return values.count % 2 == 1 ? upper : (values[..<middle].max()! + upper) / 2
}

/// - Parameter values: one or more.
func percentile(_ values: consuming [Double], _ share: Double) -> Double {
  values.select(min(values.count - 1, Int(share * Double(values.count))))
}

// Whether a random value lies below a pivot cannot be foretold: what follows counts instead of branching.
extension [Double] {
  /// The values below `bound`, in their order.
  func below(_ bound: Double) -> [Double] {
    // All empty arrays are one, whose count is written even then.
    if isEmpty { return [] }
    return Array(unsafeUninitializedCapacity: count) { result, kept in
      // The place after the last one that was kept is written over as long as nothing is.
      for value in self {
        result[kept] = value
        kept &+= one(if: value, isBelow: bound)
      }
    }
  }

  /// The element that sorting would put at `rank`; reorders so that nothing before it is larger and nothing after it
  /// smaller (Hoare, "Algorithm 65: find", CACM 1961; partitioned as by Lomuto).
  mutating func select(_ rank: Int) -> Double {
    withUnsafeMutableBufferPointer { values in
      var (low, high) = (0, values.count)
      while high - low > 1 {
        let (a, b, c) = (values[low], values[rank], values[high - 1])
        let pivot = Swift.max(Swift.min(a, b), Swift.min(Swift.max(a, b), c))
        let less = values.partition(low..<high) { one(if: $0, isBelow: pivot) }
        if rank < less {
          high = less
        } else {
          let notMore = values.partition(less..<high) { 1 - one(if: pivot, isBelow: $0) }
          guard notMore <= rank else { return pivot }
          low = notMore
        }
      }
      return values[rank]
    }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// Moves the elements of a range for which `first` is 1 to its beginning, and those for which it is 0 to its end.
  /// - Returns: where the latter begin.
  @inline(__always)
  fileprivate func partition(_ range: Range<Int>, _ first: (Double) -> Int) -> Int {
    var boundary = range.lowerBound
    for i in range {
      let value = self[i]
      self[i] = self[boundary]
      self[boundary] = value
      boundary &+= first(value)
    }
    return boundary
  }
}

/// 1 or 0, in the vector instructions that compare: a comparison of scalars would be compiled as a branch.
@inline(__always)
private func one(if value: Double, isBelow bound: Double) -> Int {
  let isBelow = SIMD2(repeating: value) .< SIMD2(repeating: bound)
  return Int(SIMD2<Int64>.zero.replacing(with: 1, where: isBelow)[0])
}

/// The value around which samples are densest: the half-sample mode (Robertson and Cryer, 1974), which holds when more
/// than half of them are wrong as long as the wrong ones do not agree.
func halfSampleMode(_ values: [Double]) -> Double {
  var window = values.sorted()[...]
  while window.count > 3 {
    let half = (window.count + 1) / 2
    var best = window.startIndex
    for start in window.startIndex...(window.endIndex - half)
    where window[start + half - 1] - window[start] < window[best + half - 1] - window[best] { best = start }
    window = window[best..<best + half]
  }
  return window.reduce(0, +) / Double(max(window.count, 1))
}
