import CShim
import Frames
import ShimSupport
import Warping

/// How frames become the small registered pictures that are compared.
struct ComparedPictures: Sendable {
  let layers: [Layer]
  /// Luma pixels along each axis that are one pixel of the small pictures.
  let factor: Int
  /// Of the small pictures.
  let size: Size
  /// The reference's size.
  let reference: Size

  /// - Parameters:
  ///   - size: the reference's.
  ///   - area: pixels that a small picture has at most.
  init(layers: [Layer], size: Size, area: Double) {
    self.layers = layers
    let wanted = Int((Double(size.area) / area).squareRoot().rounded(.up))
    reference = size
    factor = min(max(wanted, 1), min(size.width, size.height))
    self.size = Size(width: size.width / factor, height: size.height / factor)
  }

  /// Luma pixels along a cell's side.
  var cell: Int { factor * Int(CS_SELECTION_CELL) }

  /// The plane that stands for brightness, and the others.
  private var planeOrder: [Int] {
    switch layers[0].frame.encoding {
    case .grey: [0]
    case .yCbCr: [0, 1, 2]
    case .rgb: [1, 0, 2]
    }
  }

  private var hasChroma: Bool {
    if case .yCbCr = layers[0].frame.encoding { true } else { false }
  }

  /// Reduces and registers all frames.
  /// - Parameter leader: the reference's position among the layers.
  func selection(leader: Int, threads: Int) async throws -> SelectionHandle {
    let handle = try SelectionHandle(
      frames: layers.count, reference: leader, size: size, planes: planeOrder.count, hasChroma: hasChroma)
    try await forEachIndex(count: layers.count, threads: threads) { index in
      try fill(handle, index)
    }
    return handle
  }

  private func fill(_ handle: SelectionHandle, _ index: Int) throws {
    let layer = layers[index]
    defer { layer.frame.discardResidentSamples() }
    let grid = PlaneGrid(scaleX: factor, scaleY: factor)
    let spans = handle.spans(frame: index)
    for (position, plane) in planeOrder.enumerated() {
      let (reduced, source) = try reduce(layer.frame, plane: plane)
      let levels = layer.alignment.photometric.channels[plane].reduced(from: layer.frame.bits)
      warpPlane(
        reduced, on: source, alignment: layer.alignment, levels: levels, grid: grid, region: size.bounds,
        into: handle.samples(frame: index, plane: position), stride: size.width
      ) { row, columns in
        // What shows at the very edge is mixed with what repeats beyond it.
        let margin: Int32 = layer.alignment.homography == .identity ? 0 : 1
        let span = cs_warp_span(start: columns.lowerBound + margin, end: columns.upperBound - margin)
        guard span.start < span.end else {
          spans[row] = cs_warp_span(start: 0, end: 0)
          return
        }
        let known = position == 0 ? span : spans[row]
        spans[row] = cs_warp_span(start: max(span.start, known.start), end: min(span.end, known.end))
      }
    }
    let channel = layer.alignment.photometric.channels[planeOrder[0]].reduced(from: layer.frame.bits)
    handle.setSaturation(
      frame: index, level: Float(channel.gain * (Self.nearlyWhite - channel.pivot) + channel.pivot + channel.offset))
  }

  /// Samples from here on may be clipped in one of the colours.
  private static let nearlyWhite = 246.0

  /// A plane averaged over blocks, at 8 bits, and where its samples sit.
  private func reduce(_ frame: Frame, plane index: Int) throws -> (Plane, PlaneGrid) {
    let plane = frame.planes[index]
    let grid = frame.grids[index]
    let blocks = max(1, min(factor / max(grid.scaleX, grid.scaleY), min(plane.width, plane.height)))
    let source = PlaneGrid(
      scaleX: blocks * grid.scaleX, scaleY: blocks * grid.scaleY,
      offsetX: grid.offsetX + Double(grid.scaleX * (blocks - 1)) / 2,
      offsetY: grid.offsetY + Double(grid.scaleY * (blocks - 1)) / 2)
    return (try plane.averaged(over: blocks), source)
  }
}

extension PhotometricMatch.Channel {
  /// The same for samples that were brought from `bits` to 8.
  fileprivate func reduced(from bits: Int) -> PhotometricMatch.Channel {
    let scale = Double(1 << (bits - 8))
    return PhotometricMatch.Channel(gain: gain, offset: offset / scale, pivot: pivot / scale)
  }
}
