import Frames

extension StackRequest {
  /// The most that a frame counts, and the most that all count together, so that sums of bytes fit 16 bits.
  private static let (most, mostTogether) = (16, 257)
  /// Frames whose noise differs by less count alike.
  private static let likeness = 1.25

  /// How much each frame counts in a mean: by the inverse of its error's variance, which is its noise's, as where an exposure
  /// was longer or shorter than the others', and of frames with fewer pixels than the reference what they lack as well. All 1
  /// for a long exposure, which is a mean of light, and where errors are alike.
  var weights: [UInt8] {
    let errors = frames.indices.map(error(of:))
    let alike = [UInt8](repeating: 1, count: frames.count)
    guard combine != .mean, let least = errors.min(), let largest = errors.max(), largest > Self.likeness * least
    else { return alike }
    let shares = errors.map { least * least / ($0 * $0) }
    let unit = min(Double(Self.most), Double(Self.mostTogether - frames.count) / shares.reduce(0, +))
    guard unit >= 2 else { return alike }
    return shares.map { UInt8(max(1, ($0 * unit).rounded())) }
  }

  /// The standard deviation of a frame's error, as a multiple of the reference's noise.
  private func error(of place: Int) -> Double {
    let registered = frames[place]
    guard registered.isEnlarged else { return max(registered.alignment.noise, 0.01) }
    return plan?.enlargedErrors[RegisteredIndex(rawValue: place)]
      ?? max(registered.alignment.noise, 1) * registered.enlargement
  }
}
