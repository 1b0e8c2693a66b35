import Frames
import ShimSupport

/// A network that tells people from what stands behind them, close up: MediaPipe's selfie segmentation, in which a picture
/// passes layers of MobileNetV3 (Howard et al., "Searching for MobileNetV3", ICCV 2019) down to a sixteenth and up again.
struct Outliner: Sendable {
  private let network: Network
  /// Samples along each axis that stand in channels of what it answers.
  private let spread: Int

  /// Pixels along the longer side of what it learned with, and of the least.
  private static let (learned, least, step) = (256, 96, 32)
  /// What it sees of somebody, in his height or width, whichever is more.
  private static let surroundings = 2.0

  /// - Parameter model: of TensorFlow Lite.
  /// - Throws: `ShimError` when the bytes are another model, or none.
  init(model: [UInt8]) throws(ShimError) {
    let lite = try LiteNetwork(model)
    spread = lite.spread
    for side in stride(from: Self.least, through: Self.learned, by: Self.step) {
      let volumes = try lite.layers.volumes(for: Volume(channels: 3, height: side, width: side))
      let answers = lite.layers.outputs.map { volumes[$0] }
      guard side.isMultiple(of: spread),
        answers == [Volume(channels: spread * spread, height: side / spread, width: side / spread)]
      else { throw .noModel("that answers something else") }
    }
    network = try Network(lite.layers, input: Volume(channels: 3, height: Self.learned, width: Self.learned))
  }

  /// Where the network looks to outline whom a box holds.
  static func window(around box: Region, in size: Size) -> Region {
    let box = box.intersection(size.bounds)
    let side = Int((surroundings * Double(max(box.width, box.height, 1))).rounded())
    let (width, height) = (min(side, size.width), min(side, size.height))
    return Region(
      x: min(max(box.x + (box.width - width) / 2, 0), size.width - width),
      y: min(max(box.y + (box.height - height) / 2, 0), size.height - height), width: width, height: height)
  }

  /// Outlines people in R, G, B bytes without gaps.
  /// - Parameter window: where in a picture they are.
  /// - Throws: `ShimError`.
  func outline(_ rgb: [UInt8], window: Region, _ workspace: Workspace) throws(ShimError) -> Outline {
    let side = Self.side(for: window.size)
    try workspace.fill(
      with: rgb, size: window.size, scaledTo: Size(width: side, height: side), zero: 0, unit: Float(1 / 255.0))
    try network.run(in: workspace)
    return workspace.withAnswers { answers in
      let (answer, columns) = (answers[0], side / spread)
      let certainty = [UInt8](unsafeUninitializedCapacity: side * side) { certainty, count in
        for y in 0..<side {
          for x in 0..<side {
            let channel = y % spread * spread + x % spread
            let sample = answer[channel, y / spread * columns + x / spread]
            // A model that somebody named may answer what is no number.
            certainty[y * side + x] = sample > 0 ? UInt8(min(sample, 1) * 255) : 0
          }
        }
        count = side * side
      }
      return Outline(window: window, side: side, certainty: certainty)
    }
  }

  private static func side(for window: Size) -> Int {
    min(max((max(window.width, window.height) + step - 1) / step * step, least), learned)
  }
}

/// How surely somebody is at each place of a window.
struct Outline: Sendable {
  let window: Region
  /// Samples along each side.
  let side: Int
  /// 0...255.
  let certainty: [UInt8]

  /// How surely somebody is at the middles of pixels of a part of the picture, row by row, by linear interpolation; 0 beyond
  /// the window.
  func samples(in part: Region) -> [UInt8] {
    var samples = [UInt8](repeating: 0, count: part.area)
    let seen = part.intersection(window)
    let columns = (seen.x..<max(seen.maxX, seen.x)).map { place($0 - window.x, of: window.width) }
    for y in seen.y..<max(seen.maxY, seen.y) {
      let row = place(y - window.y, of: window.height)
      let first = (y - part.y) * part.width + seen.x - part.x
      certainty.withUnsafeBufferPointer { certainty in
        let (upper, lower) = (certainty[(row.first * side)...], certainty[(row.second * side)...])
        let (above, below) = (UnsafeBufferPointer(rebasing: upper), UnsafeBufferPointer(rebasing: lower))
        for (k, column) in columns.enumerated() {
          let left = Int(above[column.first]) * (256 - row.part) + Int(below[column.first]) * row.part
          let right = Int(above[column.second]) * (256 - row.part) + Int(below[column.second]) * row.part
          samples[first + k] = UInt8((left * (256 - column.part) + right * column.part) >> 16)
        }
      }
    }
    return samples
  }

  /// The samples on both sides of a pixel's middle, and how near the second one is, in 256ths.
  private func place(_ offset: Int, of length: Int) -> (first: Int, second: Int, part: Int) {
    let place = max((2 * offset + 1) * side * 128 / length - 128, 0)
    return (min(place >> 8, side - 1), min(place >> 8 + 1, side - 1), place & 255)
  }
}
