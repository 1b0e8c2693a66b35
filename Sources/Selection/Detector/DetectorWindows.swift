import Frames

/// Where a detector should look: around the places where the median may be wrong, close up. Elsewhere it could only
/// confirm what is settled.
///
/// Where so much is open that this would cost more than looking everywhere, it looks at the whole, for those who stand
/// close, and at overlapping quarters, for those far away.
/// - Parameters:
///   - open: the cells where the median may be wrong.
///   - cell: pixels along a cell's side.
///   - size: of the pictures.
func detectorWindows(open: RegionMask, cell: Int, in size: Size) -> [Region] {
  var windows = clusters(open).map { cells in
    let box = Region(x: cells.x * cell, y: cells.y * cell, width: cells.width * cell, height: cells.height * cell)
    return box.withSurroundings(in: size)
  }
  windows = united(windows)
  let everywhere = wholeAndQuarters(of: size)
  func cost(_ windows: [Region]) -> Int {
    windows.reduce(0) { $0 + Network.side(for: $1.size) * Network.side(for: $1.size) }
  }
  return cost(windows) < cost(everywhere) ? windows : everywhere
}

/// Cells this far apart still belong to one place: a head and feet may be open, and a coat settled.
private let reach = 6
/// Open cells fewer than this are noise.
private let fewest = 6

/// The boxes, in cells, around open cells that lie close together.
private func clusters(_ open: RegionMask) -> [Region] {
  open.regions(of: true, joinedOver: .square(reach)).filter { $0.count >= fewest }.map { cells in
    let columns = cells.map { $0 % open.size.width }
    let rows = cells.map { $0 / open.size.width }
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

  /// Square, with room on all sides: whoever is open in part should be seen whole, and before something.
  fileprivate func withSurroundings(in size: Size) -> Region {
    let side = 2 * max(width, height, Self.margin)
    return Region(x: x + width / 2 - side / 2, y: y + height / 2 - side / 2, width: side, height: side)
      .intersection(size.bounds)
  }
}
