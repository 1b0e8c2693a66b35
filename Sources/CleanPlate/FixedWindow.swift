import Frames

/// What lies within a plain border that all frames have in the same place although the camera moved, such as the bars of a
/// letterboxed video or a frame that a program drew around a photo.
///
/// Nothing of a scene stays in the same rows of pixels while the camera moves, and where it stays still, nothing moves over
/// a border either.
/// - Parameters:
///   - frames: those that take part.
///   - reference: of which the result is in pixels.
/// - Returns: nil where there is no such border.
func fixedWindow(of frames: [RegisteredFrame], reference: Frame) -> Region? {
  let size = reference.size
  guard frames.allSatisfy({ $0.frame.size == size }), frames.contains(where: { $0.hasMoved }) else { return nil }
  func common(_ ends: [Int?]) -> Int? {
    let known = ends.compactMap(\.self).sorted()
    guard known.count == frames.count, let first = known.first else { return nil }
    let usual = known[known.count / 2]
    return usual - first <= borderSteadiness ? usual + borderBlur : nil
  }
  let planes = frames.map(\.frame.planes[0])
  let (rows, columns) = (0..<size.height, 0..<size.width)
  func row(_ plane: Plane) -> (Int, Int) -> Int { { plane[$1, $0] } }
  func column(_ plane: Plane) -> (Int, Int) -> Int { { plane[$0, $1] } }
  let top = common(planes.map { borderEnd(of: $0, columns, Array(rows), row($0)) })
  let bottom = common(planes.map { borderEnd(of: $0, columns, rows.reversed(), row($0)) })
  let between = (top ?? 0)..<max(size.height - (bottom ?? 0), top ?? 0)
  guard !between.isEmpty else { return nil }
  let left = common(planes.map { borderEnd(of: $0, between, Array(columns), column($0)) })
  let right = common(planes.map { borderEnd(of: $0, between, columns.reversed(), column($0)) })
  guard top != nil || bottom != nil || left != nil || right != nil else { return nil }
  // Planes are cut where their samples begin.
  let grids = frames.flatMap(\.frame.grids)
  func inner(_ start: Int?, _ end: Int?, length: Int, _ scale: Int) -> Range<Int>? {
    let first = ((start ?? 0) + scale - 1) / scale * scale
    let last = end.map { (length - $0) / scale * scale } ?? length
    return first < last ? first..<last : nil
  }
  guard let columns = inner(left, right, length: size.width, grids.map(\.scaleX).max() ?? 1),
    let rows = inner(top, bottom, length: size.height, grids.map(\.scaleY).max() ?? 1)
  else { return nil }
  return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
}

/// Pixels by which a border's end may seem to differ between most frames.
private let borderSteadiness = 1
/// Pixels beyond a border's end that show some of it: coarser chroma, and rows that a resize has mixed.
private let borderBlur = 2
/// Levels of 8 bits by which a border differs from itself where it was compressed.
private let borderNoise = 10
/// The share of a line that is the border's own at least, ...
private let borderShare = 0.98
/// ... and of the first line beyond it that is not.
private let sceneShare = 0.6
/// Lines, dimmed by compression or resizing, that may lie between the two.
private let mostLinesBetween = 10

/// How many lines from a side on are the same plain border, up to one that mostly is not; nil where there is none.
/// - Parameters:
///   - span: the part of each line that is looked at.
///   - lines: from the side inwards.
///   - sample: of a line at a place.
private func borderEnd(of plane: Plane, _ span: Range<Int>, _ lines: [Int], _ sample: (Int, Int) -> Int) -> Int? {
  guard let first = lines.first else { return nil }
  let level = sample(first, (span.lowerBound + span.upperBound) / 2)
  let noise = borderNoise << (plane.bits - 8)
  func unlike(_ line: Int) -> Double {
    var count = 0
    for place in span where abs(sample(line, place) - level) > noise { count += 1 }
    return Double(count) / Double(span.count)
  }
  let isOver = 1 - borderShare
  guard let end = lines.firstIndex(where: { unlike($0) > isOver }), end > 0 else { return nil }
  return lines[end...].prefix(mostLinesBetween).firstIndex { unlike($0) >= sceneShare }
}

extension RegisteredFrame {
  /// Whether the camera moved by more than a border's end is blurred.
  fileprivate var hasMoved: Bool {
    let bounds = frame.size.bounds
    let corners = [(bounds.x, bounds.y), (bounds.maxX, bounds.y), (bounds.x, bounds.maxY), (bounds.maxX, bounds.maxY)]
    return corners.contains { x, y in
      let corner = Point(x: Double(x), y: Double(y))
      let moved = alignment.homography(corner)
      return max(abs(moved.x - corner.x), abs(moved.y - corner.y)) > Double(2 * borderBlur)
    }
  }
}
