import CShimKernels
package import Frames
import ShimSupport

/// What registration keeps of a frame: a small grey picture and its features.
package struct FrameDescription: Sendable {
  /// The frame's full size.
  package let size: Size
  /// How many pixels of the frame, along each axis, are one of the proxy's.
  package let factor: Int
  /// How sharp its parts are.
  package let laplacian: LaplacianMoments
  let colour: ColourLevel
  let features: Features
  let proxySize: Size
  /// Small pictures by which whole motions are compared.
  let grey: SmallPicture
  let whitened: SmallPicture
  /// Whitened, of nothing but broad structures.
  let broad: SmallPicture
  private let source: PyramidSource

  /// Pixels of the proxy that are aimed for.
  static let proxyArea = 2_500_000.0
  /// Pixels at most of the picture in which features are looked for.
  static let featureArea = 1_300_000
  static let featureCount = 2000

  /// What the pyramid comes from.
  private enum PyramidSource: Sendable {
    case kept(Pyramid)
    case madeAgain(Frame)
  }

  /// - Parameter keepingPyramid: false to make it again, in a hundredth of a second or two, whenever it is needed. Where
  ///   that takes only a thousandth, it is made again anyway.
  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Frame, keepingPyramid: Bool = true) throws(ShimError) {
    size = frame.size
    colour = ColourLevel(frame)
    let wanted = (Double(size.area) / Self.proxyArea).squareRoot().rounded()
    factor = min(max(Int(wanted), 1), max(1, min(size.width, size.height)))
    let pyramid = try Pyramid(frame, factor: factor)
    let level = pyramid.levels.indices.first { pyramid.size(level: $0).area <= Self.featureArea } ?? 0
    features = try Features(pyramid, level: level, maximum: Self.featureCount)
    featureScale = Double(1 << level)
    laplacian = LaplacianMoments(pyramid, frameSize: size)
    proxySize = pyramid.size(level: 0)
    grey = SmallPicture(grey: pyramid, side: GreyContest.side)
    whitened = try SmallPicture(whitened: pyramid, side: SmallPicture.whitenedSide)
    broad = try SmallPicture(whitened: pyramid, side: SmallPicture.broadSide)
    source = keepingPyramid && !Pyramid.isQuicklyMade(of: frame) ? .kept(pyramid) : .madeAgain(frame)
  }

  /// The proxy and its halvings.
  /// - Throws: `ShimError` when memory runs out.
  func pyramid() throws(ShimError) -> Pyramid {
    switch source {
    case .kept(let pyramid): return pyramid
    case .madeAgain(let frame):
      defer { frame.discardResidentSamples() }
      return try Pyramid(frame, factor: factor)
    }
  }

  /// How sharp its parts are when the picture has so many pixels side by side.
  /// - Throws: `ShimError` when memory runs out.
  func laplacian(width: Int) throws(ShimError) -> LaplacianMoments {
    try LaplacianMoments(pyramid(), frameSize: size, width: width)
  }

  /// How many pixels of the proxy, along each axis, are one of the picture in which features were looked for.
  let featureScale: Double

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
package struct PreparedReference: Sendable {
  package let description: FrameDescription
  /// What corners are tracked from, and a coarser one in which some of them tell where to look for the others.
  let picture: TrackingPicture
  let coarsePicture: TrackingPicture
  /// Proxy pixels that can be tracked.
  let corners: [cs_point]
  let repetition: Repetition

  private static let cornerCount = 3600
  /// Pixels for each corner at least: windows that overlap more say the same twice.
  private static let cornerArea = 140

  /// - Throws: `ShimError` when memory runs out.
  init(_ description: FrameDescription, threads: Int) throws(ShimError) {
    self.description = description
    let pyramid = try description.pyramid()
    picture = try TrackingPicture(of: pyramid, levels: 0...0)
    coarsePicture = try TrackingPicture(of: pyramid, levels: 1...2)
    let maximum = max(1, min(Self.cornerCount, description.proxySize.area / Self.cornerArea))
    corners = try picture.corners(maximum: maximum, threads: threads)
    repetition = try Repetition(of: description.whitened, threads: threads)
  }
}
