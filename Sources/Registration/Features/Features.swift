import CShimOpenCV
import Frames
import Resampling
import ShimSupport

/// Keypoints with descriptors, in pixels of a pyramid's level 0: owns one C handle.
final class Features: @unchecked Sendable {
  // Unchecked: the C object is never changed once it is made.
  private let handle: OpaquePointer
  /// How many pixels of level 0, along each axis, are one of the level in which they were found.
  private let scale: Double

  /// - Parameters:
  ///   - level: in which they are looked for.
  ///   - maximum: 1 to 65535.
  /// - Throws: `ShimError` when memory runs out.
  init(_ pyramid: Pyramid, level: Int, maximum: Int) throws(ShimError) {
    var made: OpaquePointer?
    try check(
      pyramid.levels[level].withKernelPlane { picture in
        withUnsafePointer(to: picture) { cs_features_detect($0, Int32(maximum), &made) }
      })
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no features were made") }
    handle = made
    scale = Double(1 << level)
  }

  deinit { cs_features_free(handle) }

  var count: Int { Int(cs_features_count(handle)) }

  private func point(_ index: Int32) -> cs_point {
    let point = cs_features_points(handle)[Int(index)]
    let shift = (scale - 1) / 2
    return cs_point(x: point.x * scale + shift, y: point.y * scale + shift)
  }

  /// Pairs of keypoints that prefer each other, as pixels of the two pyramids' level 0.
  /// - Parameters:
  ///   - strongest: how many of both take part, those that are strongest where they are.
  ///   - ratio: how much better the best must be than the next best (Lowe, IJCV 2004), at most 1.
  func matches(with other: Features, strongest: Int = .max, ratio: Double) throws(ShimError) -> [Correspondence] {
    let most = min(count, other.count, strongest)
    var pairs = [cs_match](repeating: cs_match(), count: most)
    var found: Int32 = 0
    try check(cs_features_match(handle, other.handle, Int32(clamping: strongest), ratio, &pairs, &found))
    return pairs.prefix(Int(found)).map { Correspondence(from: point($0.a), to: other.point($0.b)) }
  }
}

/// The same thing in two pictures.
struct Correspondence: Sendable {
  var from: cs_point
  var to: cs_point
  /// How much it counts in a least-squares fit.
  var weight = 1.0
}

extension cs_point {
  init(_ point: Point) {
    self.init(x: point.x, y: point.y)
  }
}

extension Point {
  init(_ point: cs_point) {
    self.init(x: point.x, y: point.y)
  }
}
