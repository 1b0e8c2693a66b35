import CShimKernels
import Frames
import Resampling
import ShimSupport

/// A frame's luma at 8 bits, reduced to a few megapixels, and its halvings down to about 32 pixels.
///
/// Pixel x of level 0 is centred on (x + 0.5) * factor - 0.5 of the frame; each level relates to the one before it
/// likewise, with factor 2. Columns and rows that do not fill a square are left out.
struct Pyramid: Sendable {
  /// The largest first. What is not reduced is the frame's own plane.
  let levels: [Plane]

  /// Pixels along the shorter side that are not halved any more, and levels at most.
  private static let (smallestSide, mostLevels) = (32, 8)

  /// - Parameters:
  ///   - frame: its luma is taken as it is, or mixed from red, green and blue.
  ///   - factor: how many samples along each axis become one.
  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Frame, factor: Int) throws(ShimError) {
    do {
      var levels = [try Self.base(of: frame, factor: factor)]
      var last = levels[0]
      while min(last.width, last.height) >= 2 * Self.smallestSide, levels.count < Self.mostLevels {
        last = try last.averaged(over: 2)
        levels.append(last)
      }
      self.levels = levels
    } catch {
      throw ShimError(kind: .outOfMemory, message: "no memory for a pyramid")
    }
  }

  private static func base(of frame: Frame, factor: Int) throws(AllocationError) -> Plane {
    guard !isQuicklyMade(of: frame) else {
      return factor == 1 ? frame.planes[0] : try frame.planes[0].averaged(over: factor)
    }
    guard frame.encoding == .rgb else {
      return try Plane.averagedSum(of: [frame.planes[0]], weights: [1], over: factor)
    }
    // ITU-R BT.709; registration needs something that follows brightness, not an exact luma.
    return try Plane.averagedSum(of: frame.planes, weights: [0.2126, 0.7152, 0.0722], over: factor)
  }

  /// Whether bytes of luma are all that has to be averaged, which takes no longer than reading them.
  static func isQuicklyMade(of frame: Frame) -> Bool { frame.encoding != .rgb && frame.bits == 8 }

  func size(level: Int) -> Size { Size(width: levels[level].width, height: levels[level].height) }

  /// Gives `body` all levels as C sees them, valid while it runs.
  func withKernelLevels<R>(_ body: ([cs_plane]) -> R) -> R { withBorrowed(levels[...], [], body) }
}

/// Gives `body` the planes as C sees them, valid while it runs.
private func withBorrowed<R>(_ planes: ArraySlice<Plane>, _ borrowed: [cs_plane], _ body: ([cs_plane]) -> R) -> R {
  guard let plane = planes.first else { return body(borrowed) }
  return plane.withKernelPlane { withBorrowed(planes.dropFirst(), borrowed + [$0], body) }
}
