import Frames
import ShimSupport

/// How surely somebody is seen at each pixel of the frames that were looked at.
struct Detections: Sendable {
  /// 0...255, by frame; nil for those that were not looked at.
  private let certainty: [Plane?]
  private let looked: CandidateSet

  /// - Parameter certainty: 0...255, one plane per frame; nil for one that was not looked at.
  init(certainty: [Plane?]) {
    self.certainty = certainty
    looked = certainty.indices.reduce(0) { certainty[$1] == nil ? $0 : $0 | CandidateSet(only: $1) }
  }

  /// Whether somebody is seen at a pixel of any frame.
  func isAnybody(x: Int, y: Int) -> Bool { certainty.contains { ($0?.byte(x, y) ?? 0) > 0 } }

  /// How surely somebody is seen in some frames, on average over those that were looked at, 0...1; 0 where none was.
  func mean(over frames: CandidateSet, x: Int, y: Int) -> Float {
    let seen = sum(over: frames, x: x, y: y)
    return seen.frames == 0 ? 0 : Float(seen.certainty) / Float(255 * seen.frames)
  }

  /// How surely somebody stands there where some frames show the same, 0...1.
  ///
  /// Detectors miss people: that nobody is seen in one frame says little then, that nobody is in several which show the same
  /// says more. So the mean is taken with up to one frame in addition, in which it is as usual.
  /// - Parameters:
  ///   - usual: the mean over all frames that show the place.
  ///   - doubt: the additional frame's weight.
  func expectation(for frames: CandidateSet, usual: Float, doubt: Float, x: Int, y: Int) -> Float {
    let seen = sum(over: frames, x: x, y: y)
    guard seen.frames > 0 else { return usual }
    return (Float(seen.certainty) / 255 + doubt * usual) / (Float(seen.frames) + doubt)
  }

  /// How surely somebody is seen in some frames, in all, in 255ths, and how many of them were looked at.
  func sum(over frames: CandidateSet, x: Int, y: Int) -> (certainty: Int, frames: Int) {
    let frames = frames & looked
    var sum = 0
    frames.visit { sum += Int(certainty[$0]?.byte(x, y) ?? 0) }
    return (sum, frames.nonzeroBitCount)
  }
}

extension Plane {
  @inline(__always)
  fileprivate func byte(_ x: Int, _ y: Int) -> UInt8 {
    withUnsafeBytes { $0.load(fromByteOffset: y &* stride &+ x, as: UInt8.self) }
  }
}

/// Somebody found in a picture.
struct Detection: Sendable, Hashable {
  /// In pixels; may reach beyond the picture.
  var box: Region
  /// 0...1.
  var score: Float
}

extension Candidates {
  /// Frames that are looked at: where they show the same as others, what is seen in these is known of the others as well.
  private static let looks = 8
  /// Boxes that overlap by more than this share are outlined once.
  private static let sameOutline: Float = 0.5

  /// Lets a detector look at evenly spread frames, around the places where it is undecided what to take.
  /// - Returns: nil when there is no such place, or no detector.
  /// - Throws: `ShimError`, `AllocationError`, `CancellationError`.
  func detections(
    by detector: Detector?, _ agreement: Agreement, _ departures: Departures, threads: Int,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Detections? {
    guard let detector else { return nil }
    let undecided = try await agreement.undecided(departures, of: self, threads: threads)
    let windows = DetectorWindows(undecided: undecided, cell: CellGrid.side, in: size)
    guard !windows.movers.isEmpty else { return nil }
    let looked = evenlySpread(Self.looks, of: frameCount)
    let shadows = CastShadows(of: self, agreement)
    let done = Counter()
    let planes = try await mapIndices(count: looked.count, threads: threads) { k in
      let index = looked[k]
      let plane = try PlaneBuilder(width: size.width, height: size.height, bits: 8)
      plane.clear()
      try detector.withNetworks { networks in
        let found = try find(in: list[index], windows, networks)
        guard let outliner = networks.outliner else {
          for somebody in found { plane.raise(somebody) }
          return
        }
        for somebody in surest(found, overlap: Self.sameOutline, count: found.count) {
          // Elsewhere nothing hangs on it.
          guard undecided.isAnySet(in: grid.region(of: somebody.box)) else {
            plane.raise(somebody)
            continue
          }
          let window = Outliner.window(around: somebody.box, in: size)
          let rgb = list[index].colours(in: window, hasChroma: hasChroma)
          plane.raise(somebody, try outliner.outline(rgb, window: window))
        }
      }
      shadows.add(to: plane, frame: index)
      progress(Double(done.increment()) / Double(looked.count))
      return plane.finish()
    }
    var certainty = [Plane?](repeating: nil, count: frameCount)
    for (frame, plane) in zip(looked, planes) { certainty[frame] = plane }
    return Detections(certainty: certainty)
  }

  /// Who is found in a frame.
  private func find(
    in frame: Candidate, _ windows: DetectorWindows, _ networks: Detector.Networks
  ) throws(ShimError) -> [Detection] {
    var found: [Detection] = []
    for window in windows.movers {
      found += try networks.movers.detections(in: frame, window: window, hasChroma: hasChroma)
    }
    for window in windows.people {
      found += try networks.people?.detections(in: frame, window: window, hasChroma: hasChroma) ?? []
    }
    return found
  }
}

extension Detector.LentFinder {
  /// Who is found in a part of a frame, in pixels of the whole.
  /// - Throws: `ShimError`.
  func detections(in frame: Candidate, window: Region, hasChroma: Bool) throws(ShimError) -> [Detection] {
    try find(in: frame.colours(in: window, hasChroma: hasChroma), size: window.size).map { found in
      Detection(
        box: Region(
          x: found.box.x + window.x, y: found.box.y + window.y, width: found.box.width, height: found.box.height),
        score: found.score)
    }
  }
}

extension Candidate {
  /// A part of it as R, G, B bytes.
  fileprivate func colours(in window: Region, hasChroma: Bool) -> [UInt8] {
    let planes = threePlanes
    return [UInt8](unsafeUninitializedCapacity: 3 * window.area) { rgb, count in
      for y in window.y..<window.maxY {
        planes[0].withUnsafeRow(y, as: UInt8.self) { first in
          planes[1].withUnsafeRow(y, as: UInt8.self) { second in
            planes[2].withUnsafeRow(y, as: UInt8.self) { third in
              for x in window.x..<window.maxX {
                if hasChroma {
                  // ITU-R BT.601, in 1/1024; another standard's colours are near enough for a detector.
                  let (luma, blue, red) = (Int(first[x]), Int(second[x]) - 128, Int(third[x]) - 128)
                  rgb[count] = UInt8(clamping: luma + (1436 * red) >> 10)
                  rgb[count + 1] = UInt8(clamping: luma - (352 * blue + 731 * red) >> 10)
                  rgb[count + 2] = UInt8(clamping: luma + (1815 * blue) >> 10)
                } else {
                  // The first plane is the green one, or the only one.
                  (rgb[count], rgb[count + 1], rgb[count + 2]) = (second[x], first[x], third[x])
                }
                count += 3
              }
            }
          }
        }
      }
    }
  }
}
