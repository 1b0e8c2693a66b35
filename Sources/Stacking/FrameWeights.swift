import Frames

extension StackRequest {
  /// The most that a frame counts, and the most that all count together, so that sums of bytes fit 16 bits.
  private static let (most, mostTogether) = (16, 257)
  /// Frames whose noise differs by less count alike.
  private static let likeness = 1.25

  /// How much each frame counts in a mean: by the inverse of its noise's variance, as where an exposure was longer or
  /// shorter than the others'. All 1 for a long exposure, which is a mean of light, and where noise is alike.
  var weights: [UInt8] {
    let noises = frames.map { max($0.alignment.noise, 0.01) }
    let alike = [UInt8](repeating: 1, count: frames.count)
    guard combine != .mean, let least = noises.min(), let largest = noises.max(), largest > Self.likeness * least
    else { return alike }
    let shares = noises.map { least * least / ($0 * $0) }
    let unit = min(Double(Self.most), Double(Self.mostTogether - frames.count) / shares.reduce(0, +))
    guard unit >= 2 else { return alike }
    return shares.map { UInt8(max(1, ($0 * unit).rounded())) }
  }
}
