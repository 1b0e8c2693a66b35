import CShim
import Frames
import ShimSupport

/// What registration keeps of a frame: a small grey picture and its features.
public struct FrameDescription: Sendable {
  /// The frame's full size.
  public let size: Size
  /// How many pixels of the frame, along each axis, are one of the proxy's.
  public let factor: Int
  let pyramid: Pyramid
  let features: Features

  /// Pixels of the proxy that are aimed for.
  static let proxyArea = 2_500_000.0
  /// Pixels at most of the picture in which features are looked for.
  static let featureArea = 1_300_000
  static let featureCount = 2000

  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Frame) throws(ShimError) {
    size = frame.size
    let wanted = (Double(size.area) / Self.proxyArea).squareRoot().rounded()
    factor = min(max(Int(wanted), 1), max(1, min(size.width, size.height)))
    let pyramid = try Pyramid(frame, factor: factor)
    let level = (0..<pyramid.levelCount).first { pyramid.size(level: $0).area <= Self.featureArea } ?? 0
    features = try Features(pyramid, level: level, maximum: Self.featureCount)
    featureScale = Double(1 << level)
    self.pyramid = pyramid
  }

  /// How many pixels of the proxy, along each axis, are one of the picture in which features were looked for.
  let featureScale: Double
  var proxySize: Size { pyramid.size(level: 0) }

  /// Proxy pixel to frame pixel.
  var toFull: Homography {
    let (scale, shift) = (Double(factor), Double(factor - 1) / 2)
    return Homography(scale, 0, shift, 0, scale, shift, 0, 0)
  }

  /// Frame pixel to proxy pixel.
  var toProxy: Homography {
    let scale = 1 / Double(factor)
    let shift = 0.5 * scale - 0.5
    return Homography(scale, 0, shift, 0, scale, shift, 0, 0)
  }
}

/// A description that other frames are registered to.
public struct Reference: Sendable {
  public let description: FrameDescription
  /// Proxy pixels that can be tracked.
  let corners: [cs_point]

  static let cornerCount = 2800

  /// - Throws: `ShimError` when memory runs out.
  init(_ description: FrameDescription) throws(ShimError) {
    self.description = description
    corners = try Registration.corners(of: description.pyramid, maximum: Self.cornerCount)
  }

  /// A reference that features are matched with and nothing is tracked from.
  init(unprepared description: FrameDescription) {
    self.description = description
    corners = []
  }
}
