import CShim
import Frames
import ShimSupport

/// Corners of `pyramid`'s level 0, spread over the picture.
func corners(of pyramid: Pyramid, maximum: Int) throws(ShimError) -> [cs_point] {
  var points = [cs_point](repeating: cs_point(), count: maximum)
  var count: Int32 = 0
  try check(pyramid.withHandle { cs_corners_detect($0, Int32(maximum), &points, &count) })
  return Array(points.prefix(Int(count)))
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

/// What even a track without noise errs by, in pixels: its window is not flat, and the map bends within it.
private let modelError = 0.05

/// Tracks `points` of the reference into the frame and back; those that were lost, look different or do not come
/// back to where they began are left out.
/// - Parameters:
///   - map: reference pixel to frame pixel, both on level 0: where to begin.
///   - starts: displacements, in reference pixels, that are added to where to begin; none when nil.
///   - coarsest: the pyramid level on which the search begins.
func track(
  _ points: [cs_point], from reference: Pyramid, into frame: Pyramid, map: Homography, starts: [cs_point]? = nil,
  coarsest: Int
) throws(ShimError) -> [Track] {
  var results = [cs_track](repeating: cs_track(), count: points.count)
  let status = reference.withHandle { reference in
    frame.withHandle { frame in
      cs_track_points(
        reference, frame, map.elements, points, starts, Int32(points.count), Int32(coarsest), &results)
    }
  }
  try check(status)
  return zip(points, results).compactMap { point, result in
    guard result.found != 0, result.correlation > 0.5, result.roundTrip < 0.5 else { return nil }
    let there = map(Point(x: point.x + result.dx, y: point.y + result.dy))
    let noise = Double(result.deviation)
    return Track(
      reference: point, frame: cs_point(there),
      weight: modelError * modelError / (modelError * modelError + noise * noise))
  }
}
