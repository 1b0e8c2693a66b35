public import Frames

/// What must come from the reference: the friend who should stay in the picture.
public enum Protection: Sendable, Hashable {
  /// Where a picture of the reference's size is white.
  case mask(ProtectionMask)
  /// Whoever the detector finds at this pixel of the reference.
  case point(Point)

  /// The cells that must be kept.
  /// - Throws: `ProtectionError`, `ShimError`.
  func cells(of candidates: Candidates, _ pictures: SmallPictures, _ detector: Detector?) throws -> RegionMask {
    let grid = candidates.grid
    var cells = RegionMask(size: grid.size, isSet: Array(repeating: false, count: grid.count))
    switch self {
    case .mask(let mask):
      guard mask.size == pictures.referenceSize else {
        throw ProtectionError.maskSize(mask.size, reference: pictures.referenceSize)
      }
      for y in 0..<mask.size.height {
        let row = min(y / pictures.cell, grid.rows - 1) * grid.columns
        for x in 0..<mask.size.width where mask.isWhite(x, y) {
          cells.isSet[row + min(x / pictures.cell, grid.columns - 1)] = true
        }
      }
    case .point(let point):
      guard let detector else { throw ProtectionError.noDetector }
      let (x, y) = (Int(point.x) / pictures.factor, Int(point.y) / pictures.factor)
      guard let box = try found(at: (x, y), in: candidates, detector) else {
        throw ProtectionError.nobodyThere(point)
      }
      let shown = box.intersection(candidates.size.bounds)
      for row in shown.y / CellGrid.side...min(shown.maxY / CellGrid.side, grid.rows - 1) {
        for column in shown.x / CellGrid.side...min(shown.maxX / CellGrid.side, grid.columns - 1) {
          cells.isSet[row * grid.columns + column] = true
        }
      }
    }
    return cells
  }

  /// What encloses all boxes around a pixel of the reference, looked for in ever smaller windows: some boxes hold only
  /// a head.
  private func found(at pixel: (x: Int, y: Int), in candidates: Candidates, _ detector: Detector) throws -> Region? {
    let network = try Network(detector)
    let size = candidates.size
    var whole: Region?
    for part in [1, 2, 4] {
      let (width, height) = (size.width / part, size.height / part)
      guard width > 0 && height > 0 else { continue }
      let window = Region(
        x: min(max(pixel.x - width / 2, 0), size.width - width),
        y: min(max(pixel.y - height / 2, 0), size.height - height), width: width, height: height)
      let reference = candidates.list[candidates.reference]
      for found in try network.detections(in: reference, window: window, hasChroma: candidates.hasChroma)
      where found.box.contains(Region(x: pixel.x, y: pixel.y, width: 1, height: 1)) {
        whole = whole.map { $0.union(found.box) } ?? found.box
      }
    }
    return whole
  }
}

/// A picture whose bright pixels are meant.
public struct ProtectionMask: Sendable, Hashable {
  public let size: Size
  /// Row by row.
  private let white: [Bool]

  /// White is what is brighter than the middle of the range in the frame's first plane (its green one in colour).
  public init(_ frame: Frame) {
    let plane = frame.planes[frame.encoding == .rgb ? 1 : 0]
    size = frame.size
    white = (0..<plane.height).flatMap { y in (0..<plane.width).map { plane[$0, y] > plane.maximum / 2 } }
  }

  func isWhite(_ x: Int, _ y: Int) -> Bool { white[y * size.width + x] }
}

/// Why somebody cannot be protected.
public enum ProtectionError: Error, Sendable, Hashable {
  /// The mask has another size than the reference.
  case maskSize(Size, reference: Size)
  /// Only a detector can say who stands at a point.
  case noDetector
  /// The detector sees nobody at the point.
  case nobodyThere(Point)
}
