import CShimKernels
import Frames
import Resampling
import ShimSupport

/// A picture in which corners are tracked: owns one C handle.
final class TrackingPicture: @unchecked Sendable {
  // Unchecked: the C object is never changed once it is made.
  private let handle: OpaquePointer

  /// Levels of the reference, or what there is of them.
  /// - Throws: `ShimError` when memory runs out.
  init(of reference: Pyramid, levels: ClosedRange<Int>) throws(ShimError) {
    handle = try Self.checked(
      reference.withKernelLevels { pyramid in
        cs_tracking_picture_of(pyramid, Int32(pyramid.count), Int32(levels.lowerBound), Int32(levels.upperBound))
      })
  }

  /// A frame's, as the reference's camera would have taken it.
  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Pyramid, path: TrackingPath, like reference: TrackingPicture) throws(ShimError) {
    handle = try Self.checked(
      frame.withKernelLevels { pyramid in
        reference.withHandle { reference in
          path.withUnsafePath { cs_tracking_picture_warped(pyramid, Int32(pyramid.count), $0, reference) }
        }
      })
  }

  private static func checked(_ made: OpaquePointer?) throws(ShimError) -> OpaquePointer {
    guard let made else { throw ShimError(kind: .outOfMemory, message: "no memory for a picture to track in") }
    return made
  }

  deinit { cs_tracking_picture_free(handle) }

  /// Gives `body` the C object, which lives at least as long as the call.
  private func withHandle<R>(_ body: (OpaquePointer) -> R) -> R {
    withExtendedLifetime(self) { body(handle) }
  }

  /// Pixels that can be tracked, spread over the picture; only of level 0. They do not depend on `threads`.
  /// - Throws: `ShimError` when memory runs out.
  func corners(maximum: Int, threads: Int) throws(ShimError) -> [cs_point] {
    let parts = withHandle { Int(cs_peaks_parts($0)) }
    guard parts > 0, maximum > 0 else { return [] }
    // As few bands as there are threads: each begins with rows that the one before has looked at, too.
    let bands = min(max(threads, 1), parts)
    let peaks = try mapIndicesInPlace(count: bands, threads: bands) { (band: Int) throws(ShimError) -> Peaks in
      try Peaks(self, parts * band / bands..<parts * (band + 1) / bands)
    }
    return withHandle { handle in
      Array(unsafeUninitializedCapacity: maximum) { points, count in
        let handles = peaks.map { Optional($0.handle) }
        count = Int(cs_peaks_choose(handle, handles, Int32(bands), Int32(maximum), points.baseAddress))
      }
    }
  }

  /// The corners of a band of rows: owns one C handle.
  private final class Peaks: @unchecked Sendable {
    // Unchecked: the C object is never changed once it is made.
    let handle: OpaquePointer

    init(_ picture: TrackingPicture, _ parts: Range<Int>) throws(ShimError) {
      handle = try checked(
        picture.withHandle { cs_peaks_find($0, Int32(parts.lowerBound), Int32(parts.upperBound)) })
    }

    deinit { cs_peaks_free(handle) }
  }

  /// Where `frame` shows what is at `points` here, and back; those that were lost, look different or do not come back
  /// to where they began are left out.
  /// - Parameter threads: threads that may look for them; the result does not depend on it.
  func displacements(
    of points: [cs_point], in frame: TrackingPicture, threads: Int = 1
  ) throws(ShimError) -> [Displacement] {
    // Neighbours one after another find each other's samples in the cache.
    let order = points.indices.sorted { points[$0].isBefore(points[$1]) }
    let parts = (points.count + Self.part - 1) / Self.part
    let results = try mapIndicesInPlace(count: parts, threads: threads) { (part: Int) throws(ShimError) in
      let range = part * Self.part..<min((part + 1) * Self.part, points.count)
      return try tracks(of: order[range].map { points[$0] }, in: frame)
    }.flatMap(\.self)
    var places = [Int](repeating: 0, count: points.count)
    for (place, index) in order.enumerated() { places[index] = place }
    return zip(points, places).compactMap { point, place in
      let result = results[place]
      guard result.found != 0, result.roundTrip < 0.5 else { return nil }
      return Displacement(
        from: point, to: Point(x: point.x + result.dx, y: point.y + result.dy), deviation: Double(result.deviation))
    }
  }

  /// Points that one thread looks for at a time.
  private static let part = 256

  private func tracks(of points: [cs_point], in frame: TrackingPicture) throws(ShimError) -> [cs_track] {
    var results = [cs_track](repeating: cs_track(), count: points.count)
    let areAlike = withHandle { reference in
      frame.withHandle { cs_track_points(reference, $0, points, Int32(points.count), &results) }
    }
    guard areAlike != 0 else { throw ShimError(kind: .invalidArgument, message: "two pictures of different levels") }
    return results
  }
}

extension cs_point {
  /// Rows in a band whose points follow each other by columns.
  private static let band = 32.0

  fileprivate func isBefore(_ other: cs_point) -> Bool {
    let (own, others) = ((y / Self.band).rounded(.down), (other.y / Self.band).rounded(.down))
    return own != others ? own < others : x < other.x
  }
}

/// A corner that was found again in a picture of the same geometry.
struct Displacement: Sendable {
  var from: cs_point
  var to: Point
  /// The standard deviation, in pixels, that the windows' difference suggests.
  var deviation: Double
}

/// Where a frame is believed to show what the reference shows; proxy pixels.
struct TrackingPath: Sendable {
  /// Reference to frame.
  var map: Homography
  /// Added to a reference pixel before it is mapped.
  var mesh: ResidualMesh?

  func callAsFunction(_ p: Point) -> Point {
    guard let shift = mesh?(p) else { return map(p) }
    return map(Point(x: p.x + shift.x, y: p.y + shift.y))
  }

  /// Gives `body` the path as C sees it, valid while it runs.
  fileprivate func withUnsafePath<R>(_ body: (UnsafePointer<cs_tracking_path>) -> R) -> R {
    var path = cs_tracking_path()
    path.map = map.kernelMatrix
    return (mesh?.dx).withKernelField { dx in
      (mesh?.dy).withKernelField { dy in
        (path.shift_x, path.shift_y) = (dx, dy)
        return body(&path)
      }
    }
  }
}

/// A corner of the reference that was found again.
struct Track: Sendable {
  /// Where it is in the reference.
  var reference: cs_point
  /// Where it is in the frame.
  var frame: cs_point
  /// How much the track counts, relative to one without noise.
  var weight: Double

  var correspondence: Correspondence { Correspondence(from: frame, to: reference, weight: weight) }
}

extension Track {
  /// What even a track without noise errs by, in pixels: its window is not flat, and the map bends within it.
  private static let modelError = 0.05

  /// - Parameter path: by which the picture was made in which the corner was found.
  init(_ displacement: Displacement, path: TrackingPath) {
    let (error, noise) = (Self.modelError, displacement.deviation)
    self.init(
      reference: displacement.from, frame: cs_point(path(displacement.to)),
      weight: error * error / (error * error + noise * noise))
  }
}
