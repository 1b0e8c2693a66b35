/// What makes a frame's samples comparable with the reference's: `gain * sample + offset`, per plane.
public struct PhotometricMatch: Sendable, Hashable {
  /// A plane's map. Chroma is taken about its neutral value, so that a pure change of exposure has offset 0:
  /// `gain * (sample - pivot) + pivot + offset`.
  public struct Channel: Sendable, Hashable {
    /// What samples are multiplied by.
    public var gain: Double
    /// In sample units of the frame's depth.
    public var offset: Double
    /// The sample value that a gain leaves alone: 0, or half of the range for chroma.
    public var pivot: Double
    /// Factors on the gain over the reference frame, as vignetting shows under shift; nil where none are needed.
    public var gains: SmoothField?
    /// What is added to the offset over the reference frame, as light and white balance change from place to place; nil
    /// where nothing is.
    public var offsets: SmoothField?

    /// Changes nothing.
    package static let identity = Channel(gain: 1, offset: 0)

    /// The same all over the frame.
    package init(gain: Double, offset: Double, pivot: Double = 0) {
      self.gain = gain
      self.offset = offset
      self.pivot = pivot
    }

    /// What samples are multiplied by at a reference pixel.
    package func gain(at p: Point) -> Double { gain * (gains?(p) ?? 1) }

    /// The least gain anywhere over the reference.
    package var leastGain: Double { gain * Double(gains?.values.min() ?? 1) }

    /// What a sample becomes where the fields change nothing.
    package func matched(_ sample: Double) -> Double { matched(sample, gain: gain, offset: offset) }

    /// What a sample becomes at a reference pixel.
    package func matched(_ sample: Double, at p: Point) -> Double {
      matched(sample, gain: gain(at: p), offset: offset + (offsets?(p) ?? 0))
    }

    /// At least what a sample becomes that is not below the pivot, anywhere over the reference.
    package func leastMatched(_ sample: Double) -> Double {
      matched(sample, gain: leastGain, offset: offset + Double(offsets?.values.min() ?? 0))
    }

    private func matched(_ sample: Double, gain: Double, offset: Double) -> Double {
      gain * (sample - pivot) + pivot + offset
    }
  }

  /// One per plane.
  public var channels: [Channel]
  /// What the frame's red, green and blue are multiplied by before that; nil where its white balance is near enough the
  /// reference's for the channels to match it.
  public package(set) var whiteBalance: WhiteBalance?
  /// How little the frame's light is to be believed over the reference, 0...1: in and about what it clips, as far as it is
  /// brighter than the reference there, so that its white comes out as grey. Nil where all of it is.
  package var doubt: SmoothField?
  /// The share of the frame that is clipped in red, green or blue, if it is to be doubted anywhere; else 0.
  package var clippedShare = 0.0

  /// The brightest of a pixel's colours, of 1 for white, from which on it may be clipped; JPEG's noise leaves few at 1.
  package static let clipped = 250.0 / 255

  /// What the frame's brightness is multiplied by: green stands for luma where there is none.
  package var brightness: Double { channels.count == 3 && channels[1].pivot == 0 ? channels[1].gain : channels[0].gain }

  /// Exposures that differ by a smaller factor are alike.
  private static let alike = 1.1

  /// Whether a factor of brightness lies between exposures so much alike that both clip the same.
  package static func isExposedAlike(_ factor: Double) -> Bool { max(factor, 1 / factor) < alike }

  /// One map per plane.
  package init(channels: [Channel]) { self.channels = channels }

  /// Changes none of so many planes.
  package static func identity(planes: Int) -> PhotometricMatch {
    PhotometricMatch(channels: Array(repeating: .identity, count: planes))
  }
}
