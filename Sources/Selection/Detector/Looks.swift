import Frames
import ShimSupport

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
    let seen = try await look(
      in: looked, windows, where: undecided, by: detector, threads: threads, progress: progress)
    let shadows = CastShadows(of: self, agreement)
    let planes = try await mapIndices(count: looked.count, threads: threads) { k in
      let plane = try PlaneBuilder(width: size.width, height: size.height, bits: 8)
      plane.clear()
      for somebody in seen[k] { plane.raise(somebody.detection, somebody.outline) }
      shadows.add(to: plane, frame: looked[k])
      return plane.finish()
    }
    var certainty = [Plane?](repeating: nil, count: frameCount)
    for (frame, plane) in zip(looked, planes) { certainty[frame] = plane }
    return Detections(certainty: certainty)
  }

  /// Everybody who is found in each of some frames, with his outline where something hangs on it.
  private func look(
    in frames: [Int], _ windows: DetectorWindows, where undecided: RegionMask, by detector: Detector, threads: Int,
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> [[Seen]] {
    let done = Counter()
    let sightings = Sightings(
      frames: frames.count, windows: windows.count, outlined: detector.hasOutliner ? Self.sameOutline : nil)
    // A task looks at one window, so that all end together; frames take turns, so that a network's kernels stay in the cache.
    let count = windows.count * frames.count
    _ = try await mapIndices(count: count, threads: threads) { task in
      let (window, k) = task.quotientAndRemainder(dividingBy: frames.count)
      defer { progress(Double(done.increment()) / Double(count)) }
      let found = try detector.detections(in: list[frames[k]], window, of: windows, hasChroma: hasChroma)
      sightings.add(found, window: window, frame: k)
    } then: { (_, _: Void) in
      while let next = sightings.next() {
        try Task.checkCancellation()
        guard undecided.isAnySet(in: grid.region(of: next.detection.box)) else { continue }
        sightings.add(try outline(next.detection, in: list[frames[next.frame]], by: detector), of: next)
      }
    }
    return sightings.all
  }

  private func outline(_ somebody: Detection, in frame: Candidate, by detector: Detector) throws -> Outline? {
    let window = Outliner.window(around: somebody.box, in: size)
    let rgb = frame.colours(in: window, hasChroma: hasChroma)
    return try detector.withNetworks { try $0.outliner?.outline(rgb, window: window) }
  }
}

extension Detector {
  /// Who is found in one of the windows of a frame, by the network that the window is for, in pixels of the frame.
  /// - Parameter index: of all windows, those for movers first.
  /// - Throws: `ShimError`.
  func detections(in frame: Candidate, _ index: Int, of windows: DetectorWindows, hasChroma: Bool) throws -> [Detection]
  {
    try withNetworks { networks in
      let person = index - windows.movers.count
      return person < 0
        ? try networks.movers.detections(in: frame, window: windows.movers[index], hasChroma: hasChroma)
        : try networks.people?.detections(in: frame, window: windows.people[person], hasChroma: hasChroma) ?? []
    }
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
    let width = window.width
    return [UInt8](unsafeUninitializedCapacity: 3 * window.area) { rgb, count in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * width) { row in
        // What is put in turns is not computed in vectors.
        let (red, green, blue) = (row.baseAddress!, row.baseAddress! + width, row.baseAddress! + 2 * width)
        for y in window.rows {
          planes[0].withUnsafeRow(y, as: UInt8.self) { first in
            planes[1].withUnsafeRow(y, as: UInt8.self) { second in
              planes[2].withUnsafeRow(y, as: UInt8.self) { third in
                for x in 0..<width {
                  let (one, two, three) = (first[window.x &+ x], second[window.x &+ x], third[window.x &+ x])
                  // The first plane is the green one, or the only one.
                  let colour = hasChroma ? Self.colour(one, two, three) : (two, one, three)
                  (red[x], green[x], blue[x]) = colour
                }
              }
            }
          }
          for x in 0..<width {
            (rgb[count &+ 3 &* x], rgb[count &+ 3 &* x &+ 1], rgb[count &+ 3 &* x &+ 2]) = (red[x], green[x], blue[x])
          }
          count += 3 * width
        }
      }
    }
  }

  /// Red, green and blue of Y', Cb and Cr by ITU-R BT.601, in 1/1024; another standard's are near enough for a detector.
  @inline(__always)
  private static func colour(_ luma: UInt8, _ cb: UInt8, _ cr: UInt8) -> (UInt8, UInt8, UInt8) {
    let (light, blue, red) = (Int32(luma), Int32(cb) &- 128, Int32(cr) &- 128)
    func byte(_ level: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(level, 0), 255)) }
    return (
      byte(light &+ (1436 &* red) &>> 10), byte(light &- (352 &* blue &+ 731 &* red) &>> 10),
      byte(light &+ (1815 &* blue) &>> 10)
    )
  }
}
