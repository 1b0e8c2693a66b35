import Foundation

/// How a plate is written.
public struct EncodeOptions: Sendable {
  /// Significant bits of the written samples.
  public enum Depth: Sendable, Hashable {
    /// The frame's own, as far as the format goes.
    case automatic
    /// 8...16; the nearest depth that the format has is taken.
    case bits(Int)
  }

  /// The format to be written.
  public var format: ImageFormat
  /// 1...100; lossless formats ignore it.
  public var quality: Int
  /// How deep samples are to be.
  public var depth: Depth
  /// The program that made the picture, with its version: Exif's Software and XMP's CreatorTool.
  public var software: String
  /// What was done, one line: an entry of XMP's xmpMM:History; nil for none.
  public var history: String?
  /// Write no metadata but the colour profile and, where there is a `history`, that `software` made the picture, by which
  /// `Metadata.isPlate` tells it.
  public var strip: Bool
  /// Threads that one picture may be encoded on, the caller's among them, 1...1024; the bytes do not depend on it.
  /// JPEG and JPEG XL make use of it. Who encodes many pictures at once should say 1.
  public var threads: Int

  /// - Parameters:
  ///   - format: the format to be written.
  ///   - quality: clamped to 1...100.
  ///   - depth: how deep samples are to be.
  ///   - software: the name that metadata give the program.
  ///   - history: what was done, for the metadata; nil for nothing.
  ///   - strip: whether no metadata are written but the colour profile and whose work the picture is.
  ///   - threads: clamped to 1...1024; by default as many as there are processors.
  public init(
    format: ImageFormat, quality: Int = 95, depth: Depth = .automatic, software: String = "cleanplate",
    history: String? = nil, strip: Bool = false, threads: Int = ProcessInfo.processInfo.activeProcessorCount
  ) {
    self.format = format
    self.quality = min(max(quality, 1), 100)
    self.depth = depth
    self.software = software
    self.history = history
    self.strip = strip
    self.threads = min(max(threads, 1), 1024)
  }
}
