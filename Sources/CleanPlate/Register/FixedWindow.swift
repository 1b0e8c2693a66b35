import Foundation
import Frames

/// What lies within a plain border that all frames have in the same place although the camera moved, such as the bars of a
/// letterboxed video or a frame that a program drew around a photo.
///
/// Nothing of a scene stays in the same rows of pixels while the camera moves up or down, and where it does not, nothing
/// moves over such a border either. Frames of one shape are looked at together, as copies of several sizes have the same border.
/// - Parameters:
///   - frames: those that take part.
///   - reference: of which the result is in pixels.
/// - Returns: for each size of frames that have such a border, what lies within, in their pixels.
func fixedWindows(of frames: [RegisteredFrame], reference: Frame) -> [Size: Region] {
  var windows: [Size: Region] = [:]
  var left = frames
  while let first = left.first(where: { $0.frame.size == reference.size }) ?? left.first {
    let alike = left.filter { $0.frame.size.hasShape(of: first.frame.size) }
    left.removeAll { $0.frame.size.hasShape(of: first.frame.size) }
    windows.merge(windowsOfOneShape(alike, reference: reference.size)) { $1 }
  }
  return windows
}

private func windowsOfOneShape(_ frames: [RegisteredFrame], reference: Size) -> [Size: Region] {
  let moved = Motion(of: frames, reference: reference)
  guard let size = frames.map(\.frame.size).max(by: { $0.area < $1.area }), moved.isAny else { return [:] }
  var borders: [PlainBorder] = []
  for frame in frames.map(\.frame) {
    defer { frame.discardResidentSamples() }
    borders.append(PlainBorder(of: frame.planes[0]).scaled(by: size.scale(from: frame.size)))
    // Where one frame has none, the others need not be looked at.
    if PlainBorder.sides.allSatisfy({ side in borders.contains { $0[keyPath: side] == nil } }) { return [:] }
  }
  let coarsest = frames.map { size.scale(from: $0.frame.size) }.max() ?? 1
  let widths = PlainBorder.sides.enumerated().map { place, side in
    (place < 2 ? moved.across : moved.down)
      ? PlainBorder.common(borders.map { $0[keyPath: side] }, steadiness: coarsest) : nil
  }
  guard widths.contains(where: { $0 != nil }) else { return [:] }
  // Planes are cut where their samples begin.
  let grids = frames.flatMap(\.frame.grids)
  let (across, down) = (grids.map(\.scaleX).max() ?? 1, grids.map(\.scaleY).max() ?? 1)
  var windows: [Size: Region] = [:]
  for own in Set(frames.map(\.frame.size)) {
    let scale = size.scale(from: own)
    func inner(_ start: Double?, _ end: Double?, length: Int, _ step: Int) -> Range<Int>? {
      func pixels(_ width: Double) -> Int { Int((width / scale).rounded(.up)) + PlainBorder.blur }
      let first = (start.map(pixels) ?? 0).roundedUp(to: step)
      let last = end.map { (length - pixels($0)) / step * step } ?? length
      return first < last ? first..<last : nil
    }
    guard let columns = inner(widths[0], widths[1], length: own.width, across),
      let rows = inner(widths[2], widths[3], length: own.height, down)
    else { return [:] }
    windows[own] = Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
  return windows
}

/// Whether frames of one shape moved across or down by more than a border's end is blurred.
private struct Motion {
  private(set) var across = false
  private(set) var down = false

  var isAny: Bool { across || down }

  init(of frames: [RegisteredFrame], reference: Size) {
    let least = frames.map { max(1, reference.scale(from: $0.frame.size)) }.max() ?? 1
    let corners = frames.map { frame in
      let bounds = frame.frame.size.bounds
      return [(bounds.x, bounds.y), (bounds.maxX, bounds.y), (bounds.x, bounds.maxY), (bounds.maxX, bounds.maxY)].map {
        frame.alignment.homography(Point(x: Double($0), y: Double($1)))
      }
    }
    for own in corners.dropFirst() {
      for (corner, base) in zip(own, corners[0]) {
        across = across || abs(corner.x - base.x) > Double(2 * PlainBorder.blur) * least
        down = down || abs(corner.y - base.y) > Double(2 * PlainBorder.blur) * least
      }
    }
  }
}

/// How many lines of pixels from each side on are the same plain border; nil where there is none.
private struct PlainBorder {
  private(set) var left, right, top, bottom: Double?

  static let sides: [WritableKeyPath<PlainBorder, Double?> & Sendable] = [\.left, \.right, \.top, \.bottom]

  init(of plane: Plane) {
    let (rows, columns) = (0..<plane.height, 0..<plane.width)
    let above = Self.end(of: plane, columns, Array(rows)) { plane[$1, $0] }
    let below = Self.end(of: plane, columns, rows.reversed()) { plane[$1, $0] }
    (top, bottom) = (above.map(Double.init), below.map(Double.init))
    let between = (above ?? 0)..<max(plane.height - (below ?? 0), above ?? 0)
    guard !between.isEmpty else { return }
    left = Self.end(of: plane, between, Array(columns)) { plane[$0, $1] }.map(Double.init)
    right = Self.end(of: plane, between, columns.reversed()) { plane[$0, $1] }.map(Double.init)
  }

  func scaled(by factor: Double) -> PlainBorder {
    var result = self
    for side in Self.sides {
      result[keyPath: side] = self[keyPath: side].map { $0 * factor }
    }
    return result
  }

  /// Pixels beyond a border's end that show some of it: coarser chroma, and rows that a resize has mixed.
  static let blur = 2

  /// The width of a side's border that all frames have, if they do.
  /// - Parameter steadiness: pixels by which its end may seem to differ between most frames.
  static func common(_ widths: [Double?], steadiness: Double) -> Double? {
    let known = widths.compactMap(\.self).sorted()
    guard known.count == widths.count, let first = known.first else { return nil }
    let usual = known[known.count / 2]
    return usual - first <= steadiness ? usual : nil
  }

  /// Levels of 8 bits by which a border differs from itself where it was compressed, and at most; in between by so many of its
  /// own median deviations.
  private static let (noise, mostNoise, deviations) = (10, 48, 6)
  /// The share of a line that is the border's own at least, and of the first line beyond it that is not. What lies between
  /// is something in the border, such as a line of text.
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
    func median(_ values: [Int]) -> Int { values.sorted()[values.count / 2] }
    let line = places.map { sample(first, $0) }
    let level = median(line)
    let deviation = median(line.map { abs($0 - level) })
    let unit = 1 << (plane.bits - 8)
    let noise = min(max(Self.noise * unit, deviations * deviation), mostNoise * unit)
    var last: Int?
    for (position, line) in lines.enumerated() {
      let unlike = Double(places.count { abs(sample(line, $0) - level) > noise }) / Double(places.count)
      if unlike <= 1 - own {
        last = position
      } else if unlike >= other || last == nil {
        return last.flatMap { position - $0 <= mostBetween ? position : nil }
      }
    }
    return nil
  }
}

extension Size {
  /// Sizes of one shape differ by this share of their sides at most, as scaled copies do, which have whole pixels.
  private static let shapeTolerance = 0.005

  fileprivate func hasShape(of other: Size) -> Bool {
    abs(log(Double(width) * Double(other.height) / (Double(height) * Double(other.width)))) < Self.shapeTolerance
  }

  /// How many pixels along a side become one of a picture of another size.
  fileprivate func scale(from other: Size) -> Double { Double(width) / Double(other.width) }
}

extension Int {
  fileprivate func roundedUp(to step: Int) -> Int { (self + step - 1) / step * step }
}
