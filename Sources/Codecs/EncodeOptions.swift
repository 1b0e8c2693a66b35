/// How a plate is written.
public struct EncodeOptions: Sendable {
  /// Significant bits of the written samples.
  public enum Depth: Sendable, Hashable {
    /// The frame's own, as far as the format goes.
    case automatic
    /// 8...16; the nearest depth that the format has is taken.
    case bits(Int)
  }

  public var format: ImageFormat
  /// 1...100; lossless formats ignore it.
  public var quality: Int
  public var depth: Depth

  /// - Parameter quality: clamped to 1...100.
  public init(format: ImageFormat, quality: Int = 95, depth: Depth = .automatic) {
    self.format = format
    self.quality = min(max(quality, 1), 100)
    self.depth = depth
  }
}
