import CShim
public import Frames
import ShimSupport

/// What must come from the reference: the friend who should stay in the picture.
public enum Protection: Sendable, Hashable {
  /// Where a picture of the reference's size is white.
  case mask(ProtectionMask)
  /// Whoever the detector finds at this pixel of the reference.
  case point(Point)

  /// 1 for every cell that must be kept.
  /// - Throws: `ProtectionError`.
  func cells(
    in handle: SelectionHandle, frame: Int, _ pictures: ComparedPictures, _ detector: Detector?
  ) throws -> [UInt8] {
    let side = Int(CS_SELECTION_CELL)
    let (columns, rows) = ((handle.size.width + side - 1) / side, (handle.size.height + side - 1) / side)
    var cells = [UInt8](repeating: 0, count: columns * rows)
    switch self {
    case .mask(let mask):
      guard mask.size == pictures.reference else {
        throw ProtectionError.maskSize(mask.size, reference: pictures.reference)
      }
      for y in 0..<mask.size.height {
        let row = min(y / pictures.cell, rows - 1) * columns
        for x in 0..<mask.size.width where mask.isWhite(x, y) {
          cells[row + min(x / pictures.cell, columns - 1)] = 1
        }
      }
    case .point(let point):
      guard let detector else { throw ProtectionError.noDetector }
      let (x, y) = (Int(point.x) / pictures.factor, Int(point.y) / pictures.factor)
      guard let box = try found(at: (x, y), in: handle, frame: frame, detector) else {
        throw ProtectionError.nobodyThere(point)
      }
      let shown = box.intersection(handle.size.bounds)
      for row in shown.y / side...min(shown.maxY / side, rows - 1) {
        for column in shown.x / side...min(shown.maxX / side, columns - 1) { cells[row * columns + column] = 1 }
      }
    }
    return cells
  }

  /// What encloses all boxes around a pixel, looked for in ever smaller windows: some boxes hold only a head.
  private func found(
    at pixel: (x: Int, y: Int), in handle: SelectionHandle, frame: Int, _ detector: Detector
  ) throws -> Region? {
    let network = try Network(detector)
    var whole: Region?
    for part in [1, 2, 4] {
      let (width, height) = (handle.size.width / part, handle.size.height / part)
      guard width > 0 && height > 0 else { continue }
      let window = Region(
        x: min(max(pixel.x - width / 2, 0), handle.size.width - width),
        y: min(max(pixel.y - height / 2, 0), handle.size.height - height), width: width, height: height)
      for found in try handle.detections(network, frame: frame, window: window) {
        let box = Region(x: Int(found.x), y: Int(found.y), width: Int(found.width), height: Int(found.height))
        guard box.contains(Region(x: pixel.x, y: pixel.y, width: 1, height: 1)) else { continue }
        let (x, y) = (min(box.x, whole?.x ?? box.x), min(box.y, whole?.y ?? box.y))
        whole = Region(
          x: x, y: y, width: max(box.maxX, whole?.maxX ?? box.maxX) - x,
          height: max(box.maxY, whole?.maxY ?? box.maxY) - y)
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
