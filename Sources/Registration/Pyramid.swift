import CShimOpenCV
import Frames
import Resampling
import ShimSupport

/// A frame's luma, reduced to a few megapixels, and its halvings: owns one C handle.
final class Pyramid: @unchecked Sendable {
  // Unchecked: the C object is never changed once it is made.
  private let handle: OpaquePointer

  /// - Parameters:
  ///   - frame: its luma is taken as it is, or mixed from red, green and blue.
  ///   - factor: how many samples along each axis become one.
  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Frame, factor: Int) throws(ShimError) {
    let planes = frame.encoding == .rgb ? frame.planes : [frame.planes[0]]
    // ITU-R BT.709; registration needs something that follows brightness, not an exact luma.
    let weights = frame.encoding == .rgb ? [0.2126, 0.7152, 0.0722] : [1]
    var made: OpaquePointer?
    let status = withBorrowed(planes[...], []) { cs_pyramid_create($0, weights, Int32($0.count), Int32(factor), &made) }
    try check(status)
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no pyramid was made") }
    handle = made
  }

  deinit { cs_pyramid_free(handle) }

  /// Gives `body` the C object, which lives at least as long as the call.
  func withHandle<R>(_ body: (OpaquePointer) -> R) -> R {
    withExtendedLifetime(self) { body(handle) }
  }

  /// Whether bytes of luma are all that has to be averaged, which takes no longer than reading them.
  static func isQuicklyMade(of frame: Frame) -> Bool { frame.encoding != .rgb && frame.bits == 8 }

  var levelCount: Int { Int(cs_pyramid_level_count(handle)) }

  func size(level: Int) -> Size {
    let plane = cs_pyramid_level(handle, Int32(level))
    return Size(width: Int(plane.width), height: Int(plane.height))
  }

  /// Gives `body` all levels as C sees them, valid while it runs.
  func withLevels<R>(_ body: ([cs_plane]) -> R) -> R {
    withHandle { handle in body((0..<levelCount).map { cs_pyramid_level(handle, Int32($0)) }) }
  }

  /// Gives `body` level 0, valid while it runs.
  func withPicture<R>(_ body: (GreyPicture) -> R) -> R {
    withHandle { handle in
      let plane = cs_pyramid_level(handle, 0)
      return body(
        GreyPicture(
          width: Int(plane.width), height: Int(plane.height), stride: plane.stride,
          samples: plane.samples.assumingMemoryBound(to: UInt8.self)))
    }
  }
}

/// Gives `body` the planes as C sees them, valid while it runs.
private func withBorrowed(
  _ planes: ArraySlice<Plane>, _ borrowed: [cs_plane], _ body: ([cs_plane]) -> cs_status
) -> cs_status {
  guard let plane = planes.first else { return body(borrowed) }
  return plane.withKernelPlane { withBorrowed(planes.dropFirst(), borrowed + [$0], body) }
}
