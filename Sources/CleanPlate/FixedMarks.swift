import Frames

/// Where something stays in the same place of the frames while the scene moves, such as a date, a logo, dirt or a finger before
/// the lens. Where the camera does not move as far as such a thing is long, every frame shows it, and so does the plate.
///
/// At such a place two frames show the same pixel by pixel as they are, and something else as they lie on each other.
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
  let cells = CellGrid(size: base.size)
  let toWindow = Homography(1, 0, -Double(window.x), 0, 1, -Double(window.y), 0, 0)
  let moved = frames.compactMap { frame -> RegisteredFrame? in
    guard frame.index != reference, frame.frame.size == base.size,
      let homography = toWindow * frame.alignment.homography
    else { return nil }
    var alignment = frame.alignment
    alignment.homography = homography
    return RegisteredFrame(index: frame.index, frame: frame.frame, alignment: alignment)
  }.filter { $0.shift >= cells.leastShift }
  guard moved.count >= CellGrid.fewestFrames else { return [] }
  // Those that moved furthest tell most.
  let order = moved.indices.sorted { (moved[$1].shift, $0) < (moved[$0].shift, $1) }
  let seen = order.prefix(CellGrid.mostFrames).map { moved[$0] }
  let stays = try await mapIndices(count: seen.count, threads: threads) { cells.stays(seen[$0], on: base) }
  return cells.places(stays).map {
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

/// Squares of a picture, in each of which a few points are looked at.
private struct CellGrid {
  private let size: Size
  /// Pixels from point to point, and points along a cell's side.
  private let step: Int
  private static let points = 4
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
    columns = size.width / (step * Self.points)
    rows = size.height / (step * Self.points)
  }

  /// What a frame says of a cell.
  enum Word: Sendable { case stays, moves, nothing }

  /// Levels of 8 bits by which what stays may differ, and by which the scene must at least.
  private static let (alike, unlike) = (4.0, 14.0)
  /// How many times the one the other must be, and how many times what all of the picture differs by.
  private static let (ratio, beyondUsual) = (3.0, 3.0)

  /// For every cell whether it shows the same in both frames as they are.
  func stays(_ frame: RegisteredFrame, on base: Frame) -> [Word] {
    defer { for seen in [frame.frame, base] { seen.discardResidentSamples() } }
    let (own, other) = (frame.frame.planes[0], base.planes[0])
    let channel = frame.alignment.photometric.channels[0]
    let unit = Double(1 << (own.bits - 8))
    guard let back = frame.alignment.homography.inverse else {
      return Array(repeating: .nothing, count: columns * rows)
    }
    func like(_ x: Int, _ y: Int) -> Double {
      channel.gain * (Double(own[x, y]) - channel.pivot) + channel.pivot + channel.offset
    }
    var differences = [(fixed: Double, moved: Double)?](repeating: nil, count: columns * rows)
    for row in 0..<rows {
      for column in 0..<columns {
        var (asIs, matched, count) = (0.0, 0.0, 0)
        // Both ways: whoever stands beside a plain place in one of the frames would pass for it otherwise.
        var moved = (there: 0.0, back: 0.0)
        for y in stride(from: row * Self.points * step + step / 2, to: (row + 1) * Self.points * step, by: step) {
          for x in stride(from: column * Self.points * step + step / 2, to: (column + 1) * Self.points * step, by: step)
          {
            let place = Point(x: Double(x), y: Double(y))
            guard let there = pixel(frame.alignment.homography(place)), let before = pixel(back(place)) else {
              continue
            }
            asIs += abs(Double(own[x, y]) - Double(other[x, y]))
            matched += abs(like(x, y) - Double(other[x, y]))
            moved.there += abs(like(x, y) - Double(other[there.x, there.y]))
            moved.back += abs(like(before.x, before.y) - Double(other[x, y]))
            count += 1
          }
        }
        guard count > Self.points * Self.points / 2 else { continue }
        // What was drawn into the pictures knows no exposure, what is before the lens does.
        differences[row * columns + column] = (
          min(asIs, matched) / Double(count) / unit, min(moved.there, moved.back) / Double(count) / unit
        )
      }
    }
    let all = differences.compactMap { $0?.moved }.sorted()
    let usual = all.isEmpty ? 0 : all[all.count / 2]
    return differences.map { difference in
      guard let (fixed, moved) = difference else { return .nothing }
      let stays =
        fixed <= max(Self.alike, usual) && moved >= max(Self.unlike, Self.beyondUsual * usual, Self.ratio * fixed)
      if stays { return .stays }
      // What is plain says nothing either way.
      return fixed <= max(Self.alike, usual) ? .nothing : .moves
    }
  }

  /// The pixel that holds a point; nil outside the picture.
  private func pixel(_ point: Point) -> (x: Int, y: Int)? {
    let (x, y) = (point.x.rounded(), point.y.rounded())
    guard x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) else { return nil }
    return (Int(x), Int(y))
  }

  /// The share of the frames that must say so, and of those that say something.
  private static let (share, agreeing) = (0.5, 0.8)
  /// Cells of a place at least.
  private static let fewestCells = 6

  /// Boxes around cells that stay, side by side, in pixels.
  func places(_ words: [[Word]]) -> [Region] {
    var stays = (0..<columns * rows).map { cell in
      let own = words.count { $0[cell] == .stays }
      let told = words.count { $0[cell] != .nothing }
      return Double(own) >= Self.share * Double(words.count) && Double(own) >= Self.agreeing * Double(told)
    }
    var places: [(cells: Int, region: Region)] = []
    for first in stays.indices where stays[first] {
      var (waiting, count) = ([first], 0)
      stays[first] = false
      var (left, top, right, bottom) = (columns, rows, 0, 0)
      while let cell = waiting.popLast() {
        let (x, y) = (cell % columns, cell / columns)
        count += 1
        (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x + 1), max(bottom, y + 1))
        // One cell may lie between, as between letters.
        for ny in max(y - 2, 0)...min(y + 2, rows - 1) {
          for nx in max(x - 2, 0)...min(x + 2, columns - 1) where stays[ny * columns + nx] {
            stays[ny * columns + nx] = false
            waiting.append(ny * columns + nx)
          }
        }
      }
      guard count >= Self.fewestCells else { continue }
      let side = step * Self.points
      places.append(
        (count, Region(x: left * side, y: top * side, width: (right - left) * side, height: (bottom - top) * side)))
    }
    return places.sorted { ($1.cells, $0.region.y, $0.region.x) < ($0.cells, $1.region.y, $1.region.x) }.map(\.region)
  }
}
