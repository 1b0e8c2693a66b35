import Frames

/// Where something stays in the same place of the frames while the scene moves, such as a date, a logo, dirt or a finger before
/// the lens. Where the camera does not move as far as such a thing is long, every frame shows it, and so does the plate.
///
/// At such a place two frames show the same as they are, and something else as they lie on each other.
/// - Parameters:
///   - frames: those that take part.
///   - reference: the one of which the result is in pixels.
///   - window: what of it the frames show of themselves.
/// - Returns: boxes around such places, the largest first.
/// - Throws: `CancellationError`.
func fixedMarks(
  on frames: [RegisteredFrame], reference: BurstIndex, within window: Region, threads: Int
) async throws -> [Region] {
  guard let position = frames.position(of: reference) else { return [] }
  let base = frames[position].frame
  let grid = PointGrid(size: base.size)
  let toWindow = Homography(1, 0, -Double(window.x), 0, 1, -Double(window.y), 0, 0)
  let moved = frames.compactMap { frame -> RegisteredFrame? in
    guard frame.index != reference, frame.frame.size == base.size,
      let homography = toWindow * frame.alignment.homography
    else { return nil }
    var alignment = frame.alignment
    alignment.homography = homography
    return RegisteredFrame(index: frame.index, frame: frame.frame, alignment: alignment)
  }.filter { $0.shift >= grid.leastShift }
  guard moved.count >= PointGrid.fewestFrames else { return [] }
  // Those that moved furthest tell most.
  let order = moved.indices.sorted { (moved[$1].shift, $0) < (moved[$0].shift, $1) }
  let seen = order.prefix(PointGrid.mostFrames).map { moved[$0] }
  let words = try await mapIndices(count: seen.count, threads: threads) { grid.words(of: seen[$0], on: base) }
  return grid.places(words).map {
    Region(x: $0.x + window.x, y: $0.y + window.y, width: $0.width, height: $0.height)
  }
}

extension RegisteredFrame {
  /// Pixels of the reference by which the frame's middle lies elsewhere there.
  fileprivate var shift: Double {
    let middle = Point(x: Double(frame.size.width) / 2, y: Double(frame.size.height) / 2)
    let there = alignment.homography(middle)
    return max(abs(there.x - middle.x), abs(there.y - middle.y))
  }
}

/// Points of a picture, evenly spread.
private struct PointGrid {
  private let size: Size
  /// Pixels from one point to the next.
  private let step: Int
  private let columns: Int
  private let rows: Int

  /// Points side by side that are aimed for.
  private static let across = 320
  /// Frames that are looked at, at least and at most.
  static let (fewestFrames, mostFrames) = (3, 8)
  /// Pixels by which a frame must have moved, so that what stays shows.
  var leastShift: Double { Double(max(4, step)) }

  init(size: Size) {
    self.size = size
    step = max(1, max(size.width, size.height) / Self.across)
    (columns, rows) = (size.width / step, size.height / step)
  }

  /// What a frame says of a point.
  enum Word: Sendable { case stays, moves, nothing }

  /// Levels of 8 bits by which what stays may differ, and by which the scene must at least; and as many times what half of the
  /// picture differs by.
  private static let (alike, unlike) = ((levels: 4.0, usual: 1.5), (levels: 16.0, usual: 4.0))

  /// Of so many points one is asked what is usual.
  private static let everySome = 13

  /// For every point whether it shows the same in both frames as they are.
  func words(of frame: RegisteredFrame, on base: Frame) -> [Word] {
    let nothing = Array(repeating: Word.nothing, count: columns * rows)
    guard let back = frame.alignment.homography.inverse else { return nothing }
    defer { for seen in [frame.frame, base] { seen.discardResidentSamples() } }
    let (own, other) = (frame.frame.planes[0], base.planes[0])
    let channel = frame.alignment.photometric.channels[0]
    let unit = Double(1 << (own.bits - 8))
    func like(_ x: Int, _ y: Int) -> Double {
      channel.gain * (Double(own[x, y]) - channel.pivot) + channel.pivot + channel.offset
    }
    /// What the samples of a point differ by as the frames are; and as they lie on each other, seen from either.
    func difference(_ point: Int) -> (asIs: Double, moved: Double)? {
      let (x, y) = (point % columns * step + step / 2, point / columns * step + step / 2)
      let place = Point(x: Double(x), y: Double(y))
      guard let there = pixel(frame.alignment.homography(place)), let before = pixel(back(place)) else { return nil }
      let sample = Double(other[x, y])
      // What was drawn into the pictures knows no exposure, what is before the lens does.
      let asIs = min(abs(Double(own[x, y]) - sample), abs(like(x, y) - sample))
      // Whoever stands beside a plain place in one of the frames would pass for it where one of them is asked.
      let moved = min(abs(like(x, y) - Double(other[there.x, there.y])), abs(like(before.x, before.y) - sample))
      return (asIs / unit, moved / unit)
    }
    let differences = nothing.indices.map(difference)
    // Some of them, in other columns of every row, tell as much of what is usual as all, which would take long to sort.
    let some = stride(from: 0, to: differences.count, by: Self.everySome).compactMap { differences[$0]?.moved }.sorted()
    guard !some.isEmpty else { return nothing }
    let usual = some[some.count / 2]
    let alike = max(Self.alike.levels, Self.alike.usual * usual)
    let unlike = max(Self.unlike.levels, Self.unlike.usual * usual)
    return differences.map { difference in
      // What is plain says nothing either way.
      guard let (asIs, moved) = difference else { return .nothing }
      return asIs > alike ? .moves : moved >= unlike ? .stays : .nothing
    }
  }

  /// The pixel that holds a point; nil outside the picture.
  private func pixel(_ point: Point) -> (x: Int, y: Int)? {
    let (x, y) = (point.x.rounded(), point.y.rounded())
    guard x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) else { return nil }
    return (Int(x), Int(y))
  }

  /// The share of the frames that must say that a point stays, and of those that say something.
  private static let (share, agreeing) = (0.5, 0.8)
  /// Points of a place at least, and how many may lie between two of them, as between letters.
  private static let (fewestPoints, gap) = (12, 5)

  /// Boxes around points that stay, side by side, in pixels, the most points first.
  func places(_ words: [[Word]]) -> [Region] {
    let stays = (0..<columns * rows).map { point in
      let own = words.count { $0[point] == .stays }
      let told = words.count { $0[point] != .nothing }
      return Double(own) >= Self.share * Double(words.count) && Double(own) >= Self.agreeing * Double(told)
    }
    let regions = RegionMask(size: Size(width: columns, height: rows), isSet: stays)
      .regions(of: true, joinedOver: .square(Self.gap))
    let places = regions.filter { $0.count >= Self.fewestPoints }.map { points in
      let (across, down) = (points.map { $0 % columns }, points.map { $0 / columns })
      let (left, top) = (across.min() ?? 0, down.min() ?? 0)
      let (right, bottom) = ((across.max() ?? 0) + 1, (down.max() ?? 0) + 1)
      let box = Region(x: left * step, y: top * step, width: (right - left) * step, height: (bottom - top) * step)
      return (points: points.count, region: box)
    }
    return places.sorted { ($1.points, $0.region.y, $0.region.x) < ($0.points, $1.region.y, $1.region.x) }.map(\.region)
  }
}
