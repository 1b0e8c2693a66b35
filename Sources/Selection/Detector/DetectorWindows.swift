import Frames

/// Where a detector should look: around the places where it is undecided what to take, close up. Elsewhere it could only
/// confirm what is settled.
struct DetectorWindows {
  /// For people, vehicles and animals. Where so much is undecided that this would cost more than looking everywhere: the whole, for
  /// those who stand close, and overlapping quarters, for those far away.
  let movers: [Region]
  /// For people: squares, as large as those that the network tells people best in.
  let people: [Region]
  /// Of both.
  var count: Int { movers.count + people.count }

  /// - Parameters:
  ///   - undecided: the cells where it matters who is seen.
  ///   - cell: pixels along a cell's side.
  ///   - size: of the pictures.
  init(undecided: RegionMask, cell: Int, in size: Size) {
    let places = clusters(undecided).map { cells in
      Region(x: cells.x * cell, y: cells.y * cell, width: cells.width * cell, height: cells.height * cell)
    }
    let windows = united(places.map { $0.withSurroundings(in: size) })
    let everywhere = wholeAndQuarters(of: size)
    func cost(_ windows: [Region]) -> Int {
      windows.reduce(0) { $0 + MoverFinder.seen(of: $1.size).area }
    }
    movers = cost(windows) < cost(everywhere) ? windows : everywhere
    people = windows.flatMap { window in
      let inside = places.filter { window.intersection($0).area > 0 }
      let box = inside.dropFirst().reduce(inside.first ?? window) { $0.union($1) }
      return squares(over: box, side: min(max(window.width, window.height), largestSquare), in: size).filter { square in
        inside.contains { $0.intersection(square).area > 0 }
      }
    }
  }
}

/// Pixels along the sides of the largest square in which people are looked for, of pictures of some 600 x 800: people are
/// found best who fill a fifth of a square to all of it.
private let largestSquare = 500
/// Squares overlap by this part of their sides at least, so that those on a border are seen whole in one of them.
private let overlap = 5

/// Squares that cover a place, with an eighth of their side around it as far as the picture reaches.
private func squares(over place: Region, side: Int, in size: Size) -> [Region] {
  let side = min(side, size.width, size.height)
  func starts(_ start: Int, _ length: Int, within limit: Int) -> [Int] {
    let (from, to) = (max(start - side / 8, 0), min(start + length + side / 8, limit))
    guard to - from > side else { return [min(max(start + (length - side) / 2, 0), limit - side)] }
    let step = side - side / overlap
    let more = (to - from - side + step - 1) / step
    return (0...more).map { from + $0 * (to - from - side) / more }
  }
  return starts(place.y, place.height, within: size.height).flatMap { y in
    starts(place.x, place.width, within: size.width).map { Region(x: $0, y: y, width: side, height: side) }
  }
}

/// Cells this far apart still belong to one place: a head and feet may be undecided, and a coat decided.
private let reach = 6
/// Cells fewer than this are noise, or somebody too small to be found.
private let fewest = 12

/// The boxes, in cells, around cells that lie close together.
private func clusters(_ mask: RegionMask) -> [Region] {
  mask.regions(of: true, joinedOver: .square(reach)).filter { $0.count >= fewest }.map { cells in
    let columns = cells.map { $0 % mask.size.width }
    let rows = cells.map { $0 / mask.size.width }
    let (left, top) = (columns.min() ?? 0, rows.min() ?? 0)
    return Region(
      x: left, y: top, width: (columns.max() ?? 0) - left + 1, height: (rows.max() ?? 0) - top + 1)
  }
}

/// Joins windows that overlap, until none do.
private func united(_ windows: [Region]) -> [Region] {
  var apart: [Region] = []
  for window in windows {
    var window = window
    while let other = apart.firstIndex(where: { $0.intersection(window).area > 0 }) {
      window = window.union(apart.remove(at: other))
    }
    apart.append(window)
  }
  return apart
}

private func wholeAndQuarters(of size: Size) -> [Region] {
  let (width, height) = ((size.width * 3 + 4) / 5, (size.height * 3 + 4) / 5)
  return [size.bounds]
    + [0, size.height - height].flatMap { y in
      [0, size.width - width].map { x in Region(x: x, y: y, width: width, height: height) }
    }
}

extension Region {
  /// Pixels around whatever is looked at, at least.
  private static let margin = 32

  /// Square, with room on all sides: whoever is undecided in part should be seen whole, and before something.
  fileprivate func withSurroundings(in size: Size) -> Region {
    let side = 2 * max(width, height, Self.margin)
    return Region(x: x + width / 2 - side / 2, y: y + height / 2 - side / 2, width: side, height: side)
      .intersection(size.bounds)
  }
}
