import CShimKernels
import CShimOpenCV
import Frames
import Resampling
import ShimSupport

/// A small grey or whitened picture of a frame, whose samples lie on its proxy.
struct SmallPicture: Sendable {
  let size: Size
  /// Row by row.
  let samples: [UInt8]
  /// How many pixels of the proxy, along each axis, are one sample.
  let step: Double

  /// The pixels of the proxy that the samples cover.
  var coveredSize: Size { Size(width: Int(Double(size.width) * step), height: Int(Double(size.height) * step)) }

  /// A level of the pyramid as it is: the largest with at most `side` pixels along its longer side.
  init(grey pyramid: Pyramid, side: Int) {
    let level = pyramid.level(ofSide: side)
    size = pyramid.size(level: level)
    step = Double(1 << level)
    samples = pyramid.samples(level: level)
  }

  /// Sides of whitened pictures lie between this and its half, if the frame has as many pixels ...
  static let whitenedSide = 360
  /// ... and of those in which noise is averaged away that hides a faint wall's shades.
  static let broadSide = 180

  /// Whitened: every place counts alike, however faint, dark or bright.
  /// - Throws: `ShimError` when memory runs out.
  init(whitened pyramid: Pyramid, side: Int) throws(ShimError) {
    let coarse = pyramid.level(ofSide: side)
    // Averages of larger levels hold what bytes of small ones have lost.
    let level = max(coarse - 2, 0)
    let factor = 1 << (coarse - level)
    let fine = pyramid.size(level: level)
    size = Size(width: fine.width / factor, height: fine.height / factor)
    step = Double(1 << coarse)
    var samples = [UInt8](repeating: 0, count: size.area)
    try check(
      pyramid.levels[level].withKernelPlane { picture in
        withUnsafePointer(to: picture) { cs_whiten($0, Int32(factor), &samples) }
      })
    self.samples = samples
  }

  private init(size: Size, samples: [UInt8], step: Double) {
    self.size = size
    self.samples = samples
    self.step = step
  }

  /// Sample to pixel of the proxy.
  var toProxy: Homography {
    let shift = (step - 1) / 2
    return Homography(step, 0, shift, 0, step, shift, 0, 0)
  }

  /// Pixel of the proxy to sample.
  var fromProxy: Homography {
    let shift = 0.5 / step - 0.5
    return Homography(1 / step, 0, shift, 0, 1 / step, shift, 0, 0)
  }

  /// The sample at shares of the width and the height, 0...1.
  func sample(x: Double, y: Double) -> Int {
    let column = min(Int(x * Double(size.width)), size.width - 1)
    let row = min(Int(y * Double(size.height)), size.height - 1)
    return Int(samples[row * size.width + column])
  }

  /// The picture as another's camera would have taken it.
  /// - Parameter map: this proxy to the other's.
  /// - Returns: nil when `map` has no inverse.
  func warped(by map: Homography, onto other: SmallPicture) -> WarpedPicture? {
    guard let back = map.inverse else { return nil }
    var result = [UInt8](repeating: 0, count: other.size.area)
    var spans = [cs_warp_span](repeating: cs_warp_span(), count: other.size.height)
    samples.withUnsafeBytes { source in
      var warp = cs_warp()
      warp.source = cs_plane(
        samples: source.baseAddress, stride: size.width, width: Int32(size.width), height: Int32(size.height), bits: 8)
      warp.source_grid = grid
      warp.destination_grid = other.grid
      warp.to_source = back.kernelMatrix
      warp.gain = 1
      warp.kernel = CS_WARP_EXACT
      let all = cs_warp_rect(x: 0, y: 0, width: Int32(other.size.width), height: Int32(other.size.height))
      _ = cs_warp_tile(&warp, all, &result, other.size.width, &spans)
    }
    return WarpedPicture(
      picture: SmallPicture(size: other.size, samples: result, step: other.step),
      spans: spans.map { Int($0.start)..<max(Int($0.start), Int($0.end)) })
  }

  private var grid: cs_warp_grid {
    cs_warp_grid(scale_x: step, scale_y: step, offset_x: (step - 1) / 2, offset_y: (step - 1) / 2)
  }
}

/// A small picture in another's geometry.
struct WarpedPicture: Sendable {
  let picture: SmallPicture
  /// The columns of each row that the frame covers.
  let spans: [Range<Int>]

  /// The share of the picture that the frame covers.
  var coverage: Double { Double(spans.reduce(0) { $0 + $1.count }) / Double(max(picture.size.area, 1)) }
}

extension Pyramid {
  /// The finest level with at most `side` pixels along its longer side, or else the coarsest.
  fileprivate func level(ofSide side: Int) -> Int {
    levels.firstIndex { max($0.width, $0.height) <= side } ?? levels.count - 1
  }

  fileprivate func samples(level: Int) -> [UInt8] {
    let plane = levels[level]
    return (0..<plane.height).flatMap { plane.withUnsafeRow($0, as: UInt8.self) { Array($0) } }
  }
}
