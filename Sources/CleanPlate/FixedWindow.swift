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
  guard frames.allSatisfy({ $0.frame.size == size }), frames.contains(where: \.hasMoved) else { return nil }
  var borders: [PlainBorder] = []
  for frame in frames.map(\.frame) {
    defer { frame.discardResidentSamples() }
    borders.append(PlainBorder(of: frame.planes[0]))
    // Where one frame has none, the others need not be looked at.
    if PlainBorder.sides.allSatisfy({ side in borders.contains { $0[keyPath: side] == nil } }) { return nil }
  }
  let widths = PlainBorder.sides.map { side in PlainBorder.common(borders.map { $0[keyPath: side] }) }
  // Planes are cut where their samples begin.
  let grids = frames.flatMap(\.frame.grids)
  func inner(_ start: Int?, _ end: Int?, length: Int, _ scale: Int) -> Range<Int>? {
    let first = ((start ?? 0) + scale - 1) / scale * scale
    let last = end.map { (length - $0) / scale * scale } ?? length
    return first < last ? first..<last : nil
  }
  guard widths.contains(where: { $0 != nil }),
    let columns = inner(widths[0], widths[1], length: size.width, grids.map(\.scaleX).max() ?? 1),
    let rows = inner(widths[2], widths[3], length: size.height, grids.map(\.scaleY).max() ?? 1)
  else { return nil }
  return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
}

/// How many lines of pixels from each side on are the same plain border; nil where there is none.
private struct PlainBorder {
  private(set) var left, right, top, bottom: Int?

  static let sides: [KeyPath<PlainBorder, Int?> & Sendable] = [\.left, \.right, \.top, \.bottom]

  init(of plane: Plane) {
    let (rows, columns) = (0..<plane.height, 0..<plane.width)
    top = Self.end(of: plane, columns, Array(rows)) { plane[$1, $0] }
    bottom = Self.end(of: plane, columns, rows.reversed()) { plane[$1, $0] }
    let between = (top ?? 0)..<max(plane.height - (bottom ?? 0), top ?? 0)
    guard !between.isEmpty else { return }
    left = Self.end(of: plane, between, Array(columns)) { plane[$0, $1] }
    right = Self.end(of: plane, between, columns.reversed()) { plane[$0, $1] }
  }

  /// Pixels by which a border's end may seem to differ between most frames.
  private static let steadiness = 1
  /// Pixels beyond a border's end that show some of it: coarser chroma, and rows that a resize has mixed.
  static let blur = 2

  /// The width of a side's border that all frames have, if they do.
  static func common(_ widths: [Int?]) -> Int? {
    let known = widths.compactMap(\.self).sorted()
    guard known.count == widths.count, let first = known.first else { return nil }
    let usual = known[known.count / 2]
    return usual - first <= steadiness ? usual + blur : nil
  }

  /// Levels of 8 bits by which a border differs from itself where it was compressed.
  private static let noise = 10
  /// The share of a line that is the border's own at least, and of the first line beyond it that is not.
  private static let (own, other) = (0.98, 0.6)
  /// Lines, dimmed by compression or resizing, that may lie between the two.
  private static let mostBetween = 10
  /// Places of a line at which it is looked at.
  private static let places = 256

  /// How many lines from a side on are the same, up to one that mostly is not.
  /// - Parameters:
  ///   - span: the part of each line that is looked at.
  ///   - lines: from the side inwards.
  ///   - sample: of a line at a place.
  private static func end(of plane: Plane, _ span: Range<Int>, _ lines: [Int], _ sample: (Int, Int) -> Int) -> Int? {
    guard let first = lines.first else { return nil }
    let places = Array(stride(from: span.lowerBound, to: span.upperBound, by: max(1, span.count / Self.places)))
    let level = sample(first, places[places.count / 2])
    let noise = Self.noise << (plane.bits - 8)
    func unlike(_ line: Int) -> Double {
      Double(places.count { abs(sample(line, $0) - level) > noise }) / Double(places.count)
    }
    guard let end = lines.firstIndex(where: { unlike($0) > 1 - own }), end > 0 else { return nil }
    return lines[end...].prefix(mostBetween).firstIndex { unlike($0) >= other }
  }
}

extension RegisteredFrame {
  /// Whether the camera moved by more than a border's end is blurred.
  fileprivate var hasMoved: Bool {
    let bounds = frame.size.bounds
    let corners = [(bounds.x, bounds.y), (bounds.maxX, bounds.y), (bounds.x, bounds.maxY), (bounds.maxX, bounds.maxY)]
    return corners.contains { x, y in
      let corner = Point(x: Double(x), y: Double(y))
      let moved = alignment.homography(corner)
      return max(abs(moved.x - corner.x), abs(moved.y - corner.y)) > Double(2 * PlainBorder.blur)
    }
  }
}
