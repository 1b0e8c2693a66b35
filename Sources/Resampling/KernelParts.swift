package import CShimKernels

/// Where the samples begin that each part of a row of samples is made of, and how much each from there on counts, as C sees it.
package struct KernelParts: Sendable {
  /// How many there are; four at a time, the last of which may stand for nothing.
  package var count: Int { first.count }
  private let taps: Int
  private var first: [Int32]
  /// As `cs_parts` has them.
  private var weights: [Float]

  /// - Parameter extent: samples of the row; of what lies beyond, the one at the border has the weight.
  package init(_ all: GridTaps, within extent: Int) {
    let (taps, padded) = (min(all.width, extent), (all.count + 3) / 4 * 4)
    self.taps = taps
    first = Array(repeating: 0, count: padded)
    weights = Array(repeating: 0, count: (taps + 3) / 4 * padded * 4)
    for i in 0..<all.count {
      // Near the end, earlier samples may be named whose weights are 0.
      let from = min(max(all.first[i], 0), extent - taps)
      first[i] = Int32(from)
      for tap in 0..<all.width {
        let place = min(max(all.first[i] + tap, 0), extent - 1) - from
        weights[(place / 4 * padded + i) * 4 + place % 4] += all.weights[i * all.width + tap]
      }
    }
  }

  /// Gives `body` the parts as C sees them, valid while it runs.
  package func withUnsafeParts(_ body: (UnsafePointer<cs_parts>) -> Void) {
    first.withUnsafeBufferPointer { first in
      weights.withUnsafeBufferPointer { weights in
        var parts = cs_parts(
          count: Int32(first.count), taps: Int32(taps), first: first.baseAddress, weights: weights.baseAddress)
        body(&parts)
      }
    }
  }
}
