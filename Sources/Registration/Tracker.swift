import CShim
import Frames
import ShimSupport

/// A picture in which corners are tracked: owns one C handle.
final class TrackingPicture: @unchecked Sendable {
  // Unchecked: the C object is never changed once it is made.
  private let handle: OpaquePointer

  /// Levels of the reference, or what there is of them.
  /// - Throws: `ShimError` when memory runs out.
  init(of reference: Pyramid, levels: ClosedRange<Int>) throws(ShimError) {
    handle = try Self.made { made in
      reference.withHandle {
        cs_tracking_picture_of($0, Int32(levels.lowerBound), Int32(levels.upperBound), &made)
      }
    }
  }

  /// A frame's, as the reference's camera would have taken it.
  /// - Throws: `ShimError` when memory runs out.
  init(_ frame: Pyramid, path: TrackingPath, like reference: TrackingPicture) throws(ShimError) {
    handle = try Self.made { made in
      frame.withHandle { frame in
        reference.withHandle { reference in
          path.withUnsafePath { cs_tracking_picture_warped(frame, $0, reference, &made) }
        }
      }
    }
  }

  private static func made(_ make: (inout OpaquePointer?) -> cs_status) throws(ShimError) -> OpaquePointer {
    var handle: OpaquePointer?
    try check(make(&handle))
    guard let handle else { throw ShimError(kind: .libraryFailure, message: "no picture was made") }
    return handle
  }

  deinit { cs_tracking_picture_free(handle) }

  /// Gives `body` the C object, which lives at least as long as the call.
  private func withHandle<R>(_ body: (OpaquePointer) -> R) -> R {
    withExtendedLifetime(self) { body(handle) }
  }

  /// Pixels that can be tracked, spread over the picture; only of level 0. They do not depend on `threads`.
  func corners(maximum: Int, threads: Int) throws(ShimError) -> [cs_point] {
    var points = [cs_point](repeating: cs_point(), count: maximum)
    var count: Int32 = 0
    try check(withHandle { cs_corners_detect($0, Int32(maximum), Int32(clamping: threads), &points, &count) })
    return Array(points.prefix(Int(count)))
  }

  /// Where `frame` shows what is at `points` here, and back; those that were lost, look different or do not come back
  /// to where they began are left out.
  func displacements(of points: [cs_point], in frame: TrackingPicture) throws(ShimError) -> [Displacement] {
    var results = [cs_track](repeating: cs_track(), count: points.count)
    let status = withHandle { reference in
      frame.withHandle { cs_track_points(reference, $0, points, Int32(points.count), &results) }
    }
    try check(status)
    return zip(points, results).compactMap { point, result in
      guard result.found != 0, result.correlation > 0.5, result.roundTrip < 0.5 else { return nil }
      return Displacement(
        from: point, to: Point(x: point.x + result.dx, y: point.y + result.dy), deviation: Double(result.deviation))
    }
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
    map.elements.withUnsafeBytes { elements in
      withUnsafeMutableBytes(of: &path.map) { $0.copyMemory(from: elements) }
    }
    guard let mesh else { return body(&path) }
    func field(_ values: UnsafePointer<Float>?) -> cs_warp_field {
      cs_warp_field(
        columns: Int32(mesh.columns), rows: Int32(mesh.rows), width: Int32(mesh.size.width),
        height: Int32(mesh.size.height), values: values)
    }
    return mesh.dx.withUnsafeBufferPointer { dx in
      mesh.dy.withUnsafeBufferPointer { dy in
        withUnsafePointer(to: field(dx.baseAddress)) { x in
          withUnsafePointer(to: field(dy.baseAddress)) { y in
            (path.shift_x, path.shift_y) = (x, y)
            return body(&path)
          }
        }
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
