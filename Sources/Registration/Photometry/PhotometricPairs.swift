import CShimKernels
import Frames
import Resampling

/// Means of a box in the frame and of the same box in the reference.
struct Pair {
  var frame: Double
  var reference: Double
  /// Less where the box has texture, in which half a pixel matters.
  var weight: Double
  /// In the reference.
  var place: Point
  /// Where that stands among the places that were asked for.
  var index: Int
}

extension PhotometricMatcher {
  func pairs(_ frame: Frame, _ reference: Frame, plane: Int, places: [(reference: Point, frame: Point)])
    -> [Pair]
  {
    let (source, target) = (frame.planes[plane], reference.planes[plane])
    let radius = max(1, max(target.width, target.height) / 700)
    let clipped = target.maximum - target.maximum / 100
    let noise = Double(target.maximum) / 128
    let shown = places.enumerated().compactMap {
      index, place -> (frame: cs_place, reference: cs_place, place: Point, index: Int)? in
      guard
        let a = source.centre(near: frame.grids[plane].sample(at: place.frame), radius: radius),
        let b = target.centre(near: reference.grids[plane].sample(at: place.reference), radius: radius)
      else { return nil }
      return (a, b, place.reference, index)
    }
    let boxes = zip(
      source.boxes(around: shown.map(\.frame), radius: radius),
      target.boxes(around: shown.map(\.reference), radius: radius))
    return zip(boxes, shown).compactMap { boxes, shown in
      let (a, b) = boxes
      guard a.largest < clipped, b.largest < clipped else { return nil }
      return Pair(
        frame: a.mean, reference: b.mean, weight: 1 / (noise * noise + b.variance), place: shown.place,
        index: shown.index)
    }
  }

  /// The pairs of all three planes at the places where each has one.
  func pairsOfAllPlanes(_ frame: Frame, _ reference: Frame, places: [(reference: Point, frame: Point)]) -> [[Pair]] {
    pairsOfAllPlanes((0..<3).map { pairs(frame, reference, plane: $0, places: places) })
  }

  /// The same of the pairs of each plane.
  func pairsOfAllPlanes(_ pairs: [[Pair]]) -> [[Pair]] {
    let others = pairs.dropFirst().map { Dictionary(uniqueKeysWithValues: $0.map { ($0.index, $0) }) }
    return pairs[0].compactMap { first in
      let found = others.compactMap { $0[first.index] }
      return found.count == others.count ? [first] + found : nil
    }
  }
}

extension PlaneGrid {
  /// The sample nearest to a luma pixel.
  fileprivate func sample(at p: Point) -> (x: Double, y: Double) {
    (((p.x - offsetX) / Double(scaleX)).rounded(), ((p.y - offsetY) / Double(scaleY)).rounded())
  }
}

extension Plane {
  /// A place as the centre of a box; nil when that does not lie within the plane.
  fileprivate func centre(near place: (x: Double, y: Double), radius: Int) -> cs_place? {
    guard
      place.x >= Double(radius), place.y >= Double(radius), place.x < Double(width - radius),
      place.y < Double(height - radius)
    else { return nil }
    return cs_place(x: Int32(place.x), y: Int32(place.y))
  }

  /// Statistics of the samples at most `radius` columns and rows away from centres.
  /// - Parameter centres: all those samples lie within the plane.
  func boxes(around centres: [cs_place], radius: Int) -> [cs_box] {
    var boxes = [cs_box](repeating: cs_box(), count: centres.count)
    withKernelPlane { view in
      withUnsafePointer(to: view) { cs_measure_boxes($0, centres, Int32(centres.count), Int32(radius), &boxes) }
    }
    return boxes
  }
}
