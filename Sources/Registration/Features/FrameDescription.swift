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
  /// Parts of the frame, in its pixels, that show what may move by itself, and tell nothing of where the frame lies.
  private(set) var moving: [Region] = []

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

  /// The same with parts of the frame, in its pixels, in which no corner and no feature counts; those of whole pictures do.
  package func without(_ moving: [Region]) -> FrameDescription {
    var description = self
    description.moving = moving
    return description
  }

  /// Whether a pixel of the proxy counts.
  func counts(_ p: cs_point) -> Bool {
    guard !moving.isEmpty else { return true }
    let full = toFull(Point(p))
    return !moving.contains { $0.contains(x: Int(full.x), y: Int(full.y)) }
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
  /// How many times as many corners are looked for where some do not count.
  private static let spare = 2
  /// Pixels for each corner at least: windows that overlap more say the same twice.
  private static let cornerArea = 140

  /// - Throws: `ShimError` when memory runs out.
  init(_ description: FrameDescription, threads: Int) throws(ShimError) {
    self.description = description
    let pyramid = try description.pyramid()
    picture = try TrackingPicture(of: pyramid, levels: 0...0)
    coarsePicture = try TrackingPicture(of: pyramid, levels: 1...2)
    let maximum = max(1, min(Self.cornerCount, description.proxySize.area / Self.cornerArea))
    // What does not count takes places that others could have.
    let wanted = description.moving.isEmpty ? maximum : Self.spare * maximum
    corners = Array(
      try picture.corners(maximum: wanted, threads: threads).filter(description.counts).prefix(maximum))
    repetition = try Repetition(of: description.whitened, threads: threads)
  }
}
