import Frames
import ShimSupport

/// Where frames show the same as each other, cell by cell of the area that all of them show: a frame that shows a place
/// free is not to be compared with those that show people there.
struct ShownAlike: Sendable {
  /// The mean brightness of each cell, by frame; nil where it shows next to nothing of it.
  private let levels: [[Double?]]

  /// Levels by which cells may differ that show the same, and the share of their brightness.
  private static let (tolerance, share) = (3.0, 0.06)

  /// - Parameters:
  ///   - frames: descriptions, how they lie on the reference, and what their brightness is multiplied by to be its.
  init(
    _ frames: [(description: FrameDescription, homography: Homography, gain: Double)], area: CommonArea,
    on reference: FrameDescription
  ) {
    let picture = reference.grey
    let (width, toFull) = (picture.size.width, (reference.toFull * picture.toProxy) ?? .identity)
    let cells = (0..<picture.size.area).map { index in
      area.cell(toFull(Point(x: Double(index % width), y: Double(index / width)))) ?? -1
    }
    levels = frames.map { frame in
      let map = (reference.toProxy * frame.homography).flatMap { $0 * frame.description.toFull }
      guard let warped = map.flatMap({ frame.description.grey.warped(by: $0, onto: picture) }) else {
        return Array(repeating: nil, count: area.cellCount)
      }
      var (sums, counts) = ([Int](repeating: 0, count: area.cellCount), [Int](repeating: 0, count: area.cellCount))
      for (y, span) in warped.spans.enumerated() {
        for x in span where cells[y * width + x] >= 0 {
          let cell = cells[y * width + x]
          sums[cell] += Int(warped.picture.samples[y * width + x])
          counts[cell] += 1
        }
      }
      return zip(sums, counts).map { $1 >= 16 ? frame.gain * Double($0) / Double($1) : nil }
    }
  }

  /// Whether two frames, by their places in the list, show the same in a cell.
  func isAlike(_ a: Int, _ b: Int, in cell: Int) -> Bool {
    guard let a = levels[a][cell], let b = levels[b][cell] else { return false }
    return abs(a - b) < Self.tolerance + Self.share * max(a, b)
  }
}
