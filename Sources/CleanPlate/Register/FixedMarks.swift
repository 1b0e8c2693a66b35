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
  let seen = farthestApart(moved, count: PointGrid.mostFrames)
  let words = try await mapIndices(count: seen.count, threads: threads) { grid.words(of: seen[$0], on: base) }
  return grid.places(words).map {
    Region(x: $0.x + window.x, y: $0.y + window.y, width: $0.width, height: $0.height)
  }
}

/// Frames that lie as far as can be from the reference and from each other. Those that were taken at once, or are the same photo
/// in several files, show whoever walked along with the camera alike, and tell what one of them does.
///
/// Each is the one that lies furthest from all before it (Gonzalez, "Clustering to minimize the maximum intercluster
/// distance", 1985).
private func farthestApart(_ moved: [RegisteredFrame], count: Int) -> [RegisteredFrame] {
  let places = moved.map(\.middle)
  var distances = moved.map(\.shift)
  var rest = Array(moved.indices)
  var chosen: [RegisteredFrame] = []
  while chosen.count < count, let next = rest.max(by: { (distances[$0], $1) < (distances[$1], $0) }) {
    chosen.append(moved[next])
    rest.removeAll { $0 == next }
    for index in rest { distances[index] = min(distances[index], places[index].shift(from: places[next])) }
  }
  return chosen
}

extension RegisteredFrame {
  /// Where the reference shows what is in the frame's middle.
  fileprivate var middle: Point { alignment.homography(frame.size.middle) }

  /// Pixels of the reference by which the frame's middle lies elsewhere there.
  fileprivate var shift: Double { middle.shift(from: frame.size.middle) }
}

extension Size {
  fileprivate var middle: Point { Point(x: Double(width) / 2, y: Double(height) / 2) }
}

extension Point {
  /// Pixels across or down from another point, whichever are more.
  fileprivate func shift(from other: Point) -> Double { max(abs(x - other.x), abs(y - other.y)) }
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
  private static let (alike, unlike) = ((levels: Float(4), usual: Float(1.5)), (levels: Float(16), usual: Float(4)))

  /// Of so many points one is asked what is usual.
  private static let everySome = 13

  /// For every point whether it shows the same in both frames as they are.
  func words(of frame: RegisteredFrame, on base: Frame) -> [Word] {
    guard let back = frame.alignment.homography.inverse else {
      return Array(repeating: .nothing, count: columns * rows)
    }
    defer { for seen in [frame.frame, base] { seen.discardResidentSamples() } }
    let (own, other) = (frame.frame.planes[0], base.planes[0])
    return own.withUnsafeBytes { ownSamples in
      other.withUnsafeBytes { otherSamples in
        func words<S: Sample>(_ type: S.Type) -> [Word] {
          let own = Samples<S>(first: ownSamples, stride: own.stride, size: size)
          let other = Samples<S>(first: otherSamples, stride: other.stride, size: size)
          let unit = Double(1 << (frame.frame.bits - 8))
          let pair = Pair(
            own: own, other: other, forth: frame.alignment.homography, back: back,
            channel: frame.alignment.photometric.channels[0], unit: unit)
          return self.words(of: pair)
        }
        return own.bits > 8 ? words(UInt16.self) : words(UInt8.self)
      }
    }
  }

  private func words<S>(of pair: Pair<S>) -> [Word] {
    let differences = pair.differences(every: step, columns: columns, rows: rows)
    // Some of them, in other columns of every row, tell as much of what is usual as all, which would take long to sort.
    let some = stride(from: 0, to: differences.moved.count, by: Self.everySome).compactMap { point -> Float? in
      let moved = differences.moved[point]
      return moved.isNaN ? nil : moved
    }.sorted()
    guard !some.isEmpty else { return Array(repeating: .nothing, count: columns * rows) }
    let usual = some[some.count / 2]
    let alike = max(Self.alike.levels, Self.alike.usual * usual)
    let unlike = max(Self.unlike.levels, Self.unlike.usual * usual)
    return zip(differences.asIs, differences.moved).map { asIs, moved in
      // What is plain says nothing either way.
      asIs > alike ? .moves : moved >= unlike ? .stays : .nothing
    }
  }

  /// The share of the frames that must say that a point stays, and of those that say something.
  private static let (share, agreeing) = (0.5, 0.8)
  /// Points of a place at least, and how many may lie between two of them, as between letters.
  private static let (fewestPoints, gap) = (12, 5)

  /// Boxes around points that stay, side by side, in pixels, the most points first.
  func places(_ words: [[Word]]) -> [Region] {
    var (own, told) = (Array(repeating: 0, count: columns * rows), Array(repeating: 0, count: columns * rows))
    for words in words {
      for point in words.indices {
        own[point] += words[point] == .stays ? 1 : 0
        told[point] += words[point] == .nothing ? 0 : 1
      }
    }
    let stays = zip(own, told).map { own, told in
      Double(own) >= Self.share * Double(words.count) && Double(own) >= Self.agreeing * Double(told)
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

/// The samples of a plane of a known kind.
private struct Samples<S: Sample> {
  let first: UnsafeRawPointer
  /// Bytes from one row to the next.
  let stride: Int
  let size: Size

  /// In bytes from the first sample, of a pixel within the picture.
  @inline(__always)
  func offset(_ x: Int, _ y: Int) -> Int { y &* stride &+ x &* MemoryLayout<S>.size }

  /// The same of the pixel that holds a point; nil outside the picture.
  @inline(__always)
  func offset(_ point: Point) -> Int? {
    // Half a pixel on, numbers that are cut off are rounded.
    let (x, y) = (point.x + 0.5, point.y + 0.5)
    guard x > 0, y > 0, x < Double(size.width), y < Double(size.height) else { return nil }
    return offset(Int(x), Int(y))
  }

  @inline(__always)
  subscript(offset: Int) -> Double { Double(first.load(fromByteOffset: offset, as: S.self)) }
}

/// A frame and the reference: what their samples differ by, in levels of 8 bits.
private struct Pair<S: Sample> {
  let own: Samples<S>
  let other: Samples<S>
  /// From the frame to the reference, and from there to the frame.
  let forth: Homography
  let back: Homography
  let channel: PhotometricMatch.Channel
  /// What a level of 8 bits is in samples.
  let unit: Double

  /// Of points in rows, as the frames are, and as they lie on each other, seen from either; NaN where one of them shows
  /// nothing there.
  struct Differences {
    var asIs: [Float]
    var moved: [Float]
  }

  /// Where the samples of a point lie: at its place in both, where the reference shows what the frame does there, and
  /// where the frame shows what the reference does there.
  private struct Place {
    let point: Int
    let own: Int
    let other: Int
    let there: Int
    let before: Int
  }

  func differences(every step: Int, columns: Int, rows: Int) -> Differences {
    let none = Array(repeating: Float.nan, count: columns * rows)
    var result = Differences(asIs: none, moved: none)
    result.asIs.withUnsafeMutableBufferPointer { asIs in
      result.moved.withUnsafeMutableBufferPointer { moved in
        withUnsafeTemporaryAllocation(of: Place.self, capacity: columns) { places in
          for row in 0..<rows {
            // Places first: samples lie far apart, and are fetched at once where nothing else is done between them.
            var count = 0
            for column in 0..<columns {
              guard let place = place(column &* step &+ step / 2, row &* step &+ step / 2, row &* columns &+ column)
              else { continue }
              places[count] = place
              count &+= 1
            }
            for place in places[..<count] { (asIs[place.point], moved[place.point]) = difference(place) }
          }
        }
      }
    }
    return result
  }

  @inline(__always)
  private func place(_ x: Int, _ y: Int, _ point: Int) -> Place? {
    let pixel = Point(x: Double(x), y: Double(y))
    guard let there = other.offset(forth(pixel)), let before = own.offset(back(pixel)) else { return nil }
    return Place(point: point, own: own.offset(x, y), other: other.offset(x, y), there: there, before: before)
  }

  @inline(__always)
  private func difference(_ place: Place) -> (asIs: Float, moved: Float) {
    func like(_ sample: Double) -> Double {
      channel.gain * (sample - channel.pivot) + channel.pivot + channel.offset
    }
    let (own, other) = (own[place.own], other[place.other])
    // What was drawn into the pictures knows no exposure, what is before the lens does.
    let asIs = min(abs(own - other), abs(like(own) - other))
    // Whoever stands beside a plain place in one of the frames would pass for it where one of them is asked.
    let moved = min(abs(like(own) - self.other[place.there]), abs(like(self.own[place.before]) - other))
    return (Float(asIs / unit), Float(moved / unit))
  }
}
