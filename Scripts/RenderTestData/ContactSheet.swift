import CleanPlate
import Frames

/// A burst's frames, small, in two columns, and its plate beside them.
/// - Parameters:
///   - frames: 8-bit R, G, B, an even number, all of the plate's size.
///   - plate: 8-bit R, G, B.
/// - Returns: 8-bit R, G, B on white.
func contactSheet(frames: [Frame], plate: Frame) throws -> Frame {
  let gap = 4
  let rows = frames.count / 2
  // Whole factors average whole pixels.
  let factor = rows
  let (thumbWidth, thumbHeight) = (plate.size.width / factor, plate.size.height / factor)
  let left = 2 * (thumbWidth + gap)
  let height = rows * (thumbHeight + gap) - gap
  let plateTop = (height - plate.size.height) / 2
  func sample(_ channel: Int, _ x: Int, _ y: Int) -> Int {
    if x >= left {
      let inside = y >= plateTop && y < plateTop + plate.size.height
      return inside ? plate.planes[channel][x - left, y - plateTop] : 255
    }
    let (column, row) = (x / (thumbWidth + gap), y / (thumbHeight + gap))
    let (u, v) = (x % (thumbWidth + gap), y % (thumbHeight + gap))
    guard u < thumbWidth, v < thumbHeight else { return 255 }
    let plane = frames[2 * row + column].planes[channel]
    var sum = 0
    for dy in 0..<factor {
      for dx in 0..<factor { sum += plane[u * factor + dx, v * factor + dy] }
    }
    return (sum + factor * factor / 2) / (factor * factor)
  }
  let planes = try (0..<3).map { channel in
    try Plane(width: left + plate.size.width, height: height) { x, y in sample(channel, x, y) }
  }
  return Frame(planes: planes, encoding: .rgb, name: "contact sheet")
}

/// Pictures of one size side by side, at half their size.
/// - Parameter pictures: 8-bit R, G, B.
/// - Returns: 8-bit R, G, B on white.
func pictureRow(_ pictures: [Frame]) throws -> Frame {
  let gap = 4
  let small = try pictures.map { try $0.thumbnail(width: $0.size.width / 2) }
  let size = small[0].size
  let planes = try (0..<3).map { channel in
    try Plane(width: small.count * (size.width + gap) - gap, height: size.height) { x, y in
      let u = x % (size.width + gap)
      return u < size.width ? small[x / (size.width + gap)].planes[channel][u, y] : 255
    }
  }
  return Frame(planes: planes, encoding: .rgb, name: "pictures")
}
