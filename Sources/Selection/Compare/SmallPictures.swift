import Frames
import Resampling

/// How registered frames become the small pictures that are compared.
struct SmallPictures: Sendable {
  /// Pixels at most.
  static let area = 750_000.0

  let frames: [RegisteredFrame]
  /// Luma pixels along each axis that are one pixel of the small pictures.
  let factor: Int
  /// Of the small pictures.
  let size: Size
  /// The reference's size.
  let referenceSize: Size

  /// - Parameter size: the reference's.
  init(frames: [RegisteredFrame], size: Size) {
    self.frames = frames
    referenceSize = size
    let wanted = Int((Double(size.area) / Self.area).squareRoot().rounded(.up))
    factor = min(max(wanted, 1), min(size.width, size.height))
    self.size = Size(width: size.width / factor, height: size.height / factor)
  }

  /// Luma pixels along a cell's side.
  var cell: Int { factor * CellGrid.side }

  /// The plane that stands for brightness, and the others.
  private var planeOrder: [Int] {
    switch frames[0].frame.encoding {
    case .grey: [0]
    case .yCbCr: [0, 1, 2]
    case .rgb: [1, 0, 2]
    }
  }

  private var hasChroma: Bool {
    if case .yCbCr = frames[0].frame.encoding { true } else { false }
  }

  /// Reduces and registers the frames, and takes their median.
  /// - Parameter reference: the reference's position among the frames.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func candidates(reference: Int, threads: Int) async throws -> Candidates {
    let small = try await mapIndices(count: frames.count, threads: threads) { try candidate(of: frames[$0]) }
    let median = try await medianCandidate(of: small, size: size, threads: threads)
    return Candidates(list: small + [median], size: size, reference: reference, hasChroma: hasChroma)
  }

  /// Fields of colour over the reference, by frame, for its own planes in their order.
  func offsets(_ fields: ColourFields) -> [Int: [SmoothField]] {
    var offsets: [Int: [SmoothField]] = [:]
    for (frame, planes) in fields.frames.enumerated() {
      guard let planes else { continue }
      let placed = zip(planeOrder, planes).sorted { $0.0 < $1.0 }
      offsets[frame] = placed.map { $1.smoothField(over: referenceSize, factor: factor) }
    }
    return offsets
  }

  private func candidate(of registered: RegisteredFrame) throws -> Candidate {
    defer { registered.frame.discardResidentSamples() }
    let grid = PlaneGrid(scaleX: factor, scaleY: factor)
    // What shows at the very edge is mixed with what repeats beyond it.
    let margin: Int32 = registered.alignment.homography == .identity ? 0 : 1
    var coverage = [Range<Int32>](repeating: 0..<Int32(size.width), count: size.height)
    var planes: [Plane] = []
    for index in planeOrder {
      let (reduced, source) = try reduce(registered, plane: index)
      let levels = registered.alignment.photometric.channels[index].reduced(from: registered.frame.bits)
      let builder = try PlaneBuilder(width: size.width, height: size.height, bits: 8)
      builder.clear()
      warpPlane(
        reduced, on: source, alignment: registered.alignment, levels: levels, grid: grid, region: size.bounds,
        into: builder.base, stride: builder.stride
      ) { row, columns in
        let (start, end) = (columns.lowerBound + margin, columns.upperBound - margin)
        let inner = start < end ? start..<end : 0..<0
        coverage[row] = inner.isEmpty ? inner : coverage[row].clamped(to: inner)
      }
      planes.append(builder.finish())
    }
    let channel = registered.alignment.photometric.channels[planeOrder[0]].reduced(from: registered.frame.bits)
    let saturation = channel.gain * (Self.nearlyWhite - channel.pivot) + channel.pivot + channel.offset
    return Candidate(
      planes: planes, gradient: try gradient(of: planes[0]), coverage: coverage, saturation: Float(saturation))
  }

  /// Samples from here on may be clipped in one of the colours.
  private static let nearlyWhite = 246.0

  /// A plane averaged over blocks, at 8 bits, and where its samples sit.
  private func reduce(_ registered: RegisteredFrame, plane index: Int) throws -> (Plane, PlaneGrid) {
    let frame = registered.frame
    let plane = frame.planes[index]
    let grid = frame.grids[index]
    // A frame that shows the place with fewer pixels than the reference is reduced by less.
    let wanted = Double(factor) / registered.alignment.homography.enlargement(of: frame.size)
    let factor = wanted > 1 ? Int(min(wanted, Double(max(plane.width, plane.height))).rounded()) : 1
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
    var channel = self
    channel.offset = offset / scale
    channel.pivot = pivot / scale
    channel.offsets = offsets?.map { $0 / Float(scale) }
    return channel
  }
}
