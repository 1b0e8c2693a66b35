/// What makes a frame's samples comparable with the reference's: `gain * sample + offset`, per plane.
public struct PhotometricMatch: Sendable, Hashable {
  /// A plane's map. Chroma is taken about its neutral value, so that a pure change of exposure has offset 0:
  /// `gain * (sample - pivot) + pivot + offset`.
  public struct Channel: Sendable, Hashable {
    public var gain: Double
    /// In sample units of the frame's depth.
    public var offset: Double
    /// The sample value that a gain leaves alone: 0, or half of the range for chroma.
    public var pivot: Double

    public static let identity = Channel(gain: 1, offset: 0)

    public init(gain: Double, offset: Double, pivot: Double = 0) {
      self.gain = gain
      self.offset = offset
      self.pivot = pivot
    }
  }

  /// One per plane.
  public var channels: [Channel]
  /// A coarse field of gains on top, as vignetting shows under shift; nil where none is needed.
  public var gainGrid: GainGrid?

  public init(channels: [Channel], gainGrid: GainGrid? = nil) {
    self.channels = channels
    self.gainGrid = gainGrid
  }

  public static func identity(planes: Int) -> PhotometricMatch {
    PhotometricMatch(channels: Array(repeating: .identity, count: planes))
  }
}

/// Gains over the reference frame, bilinear between nodes that lie as those of a `ResidualMesh`.
public struct GainGrid: Sendable, Hashable {
  public let columns: Int
  public let rows: Int
  /// The reference's size.
  public let size: Size
  /// Row by row, about 1.
  public let gains: [Float]

  public init(columns: Int, rows: Int, size: Size, gains: [Float]) {
    precondition(columns >= 2 && rows >= 2 && gains.count == columns * rows)
    self.columns = columns
    self.rows = rows
    self.size = size
    self.gains = gains
  }
}
