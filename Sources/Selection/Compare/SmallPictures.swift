import CShimKernels
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

  /// What the small pictures show of a part of the reference and of nothing beside it: at its sides, but for the reference's
  /// own, pixels are left out that a frame may not show all of.
  func inner(_ part: Region) -> Region {
    func inner(_ start: Int, _ end: Int, of length: Int, _ count: Int) -> Range<Int> {
      let first = start > 0 ? (start + factor - 1) / factor + 1 : 0
      let last = end < length ? end / factor - 1 : count
      return first..<max(first, last)
    }
    let columns = inner(part.x, part.maxX, of: referenceSize.width, size.width)
    let rows = inner(part.y, part.maxY, of: referenceSize.height, size.height)
    return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
      .intersection(size.bounds)
  }

  /// The plane that stands for brightness, and the others.
  var planeOrder: [Int] {
    switch frames[0].frame.encoding {
    case .grey: [0]
    case .yCbCr: [0, 1, 2]
    case .rgb: [1, 0, 2]
    }
  }

  /// What chroma adds to luma in the colours; nil where no plane is chroma.
  var chroma: cs_chroma_in_light? { frames[0].frame.encoding.chromaInLight(bits: 8) }

  var hasChroma: Bool { chroma != nil }

  /// Reduces and registers the frames, and takes their median.
  /// - Parameter reference: the reference's position among the frames.
  /// - Throws: `ShimError` or `AllocationError` when memory runs out, `CancellationError`.
  func candidates(reference: Int, threads: Int) async throws -> Candidates {
    let small = try await mapIndices(count: frames.count, threads: threads) { try candidate(of: $0) }
    let median = try await medianCandidate(of: small, size: size, threads: threads)
    return Candidates(list: small + [median], size: size, reference: reference, chroma: chroma)
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

  /// Corrections of the candidates' planes, for the reference's own planes in their order.
  func membrane(_ values: [[Float]]) -> Membrane {
    let placed = zip(planeOrder, values).sorted { $0.0 < $1.0 }.map(\.1)
    return Membrane(values: placed, isLight: placed.indices.map { $0 == 0 || !hasChroma })
  }

  /// One of the frames, reduced and registered.
  /// - Throws: as `candidates`.
  func candidate(of index: Int) throws -> Candidate {
    let registered = frames[index]
    defer { registered.frame.discardResidentSamples() }
    let parts = try planeOrder.map { try part(of: registered, plane: $0) }
    let channel = registered.alignment.photometric.channels[planeOrder[0]].reduced(from: registered.frame.bits)
    let planes = parts.map(\.plane)
    return Candidate(
      planes: planes, gradient: try gradient(of: planes[0]),
      coverage: (0..<size.height).map { y in
        parts.dropFirst().reduce(parts[0].coverage[y]) { $0.clamped(to: $1.coverage[y]) }
      }, clipped: try clipped(planes, matchedBy: channel), clipsColours: clipsColours(matchedBy: channel))
  }

  /// A plane of a candidate, and the columns that the frame shows, by row.
  private typealias Part = (plane: Plane, coverage: [Range<Int32>])

  private func part(of registered: RegisteredFrame, plane index: Int) throws -> Part {
    let (reduced, source) = try reduce(registered, plane: index)
    let target = PlaneGrid(scaleX: factor, scaleY: factor)
    let near = grid(near: source, of: registered)
    let isDirect = near == target
    var (plane, coverage) = try warp(
      reduced, on: source, registered, plane: index, to: near,
      region: (isDirect ? size : near.planeSize(for: referenceSize)).bounds, goesOn: !isDirect)
    if !isDirect {
      let columns = GridTaps.columns(of: plane, on: near, to: target, count: size.width)
      let rows = GridTaps.rows(of: plane, on: near, to: target, count: size.height)
      let nearest = (0..<size.width).map { Int32(columns.nearest(to: $0, within: plane.width)) }
      coverage = (0..<size.height).map { nearest.places(in: coverage[rows.nearest(to: $0, within: plane.height)]) }
      plane = try plane.resampled(columns: columns, rows: rows)
    }
    return (plane, try inner(coverage, of: reduced, on: source, registered, plane: index))
  }

  /// The columns that show nothing but the frame, by row: what shows at its very edge is mixed with what repeats beyond it.
  private func inner(
    _ coverage: [Range<Int32>], of reduced: Plane, on source: PlaneGrid, _ registered: RegisteredFrame, plane: Int
  ) throws -> [Range<Int32>] {
    guard registered.alignment.homography != .identity else { return coverage }
    // Whether the frame goes on beyond the pictures' sides.
    var wider = PlaneGrid(scaleX: factor, scaleY: factor)
    wider.offsetX -= Double(factor)
    let beyond = try [0, size.width + 1].map { column in
      try warp(
        reduced, on: source, registered, plane: plane, to: wider,
        region: Region(x: column, y: 0, width: 1, height: size.height)
      ).coverage
    }
    return coverage.enumerated().map { y, columns in
      let start = columns.lowerBound + (columns.lowerBound == 0 && !beyond[0][y].isEmpty ? 0 : 1)
      let end = columns.upperBound - (columns.upperBound == size.width && !beyond[1][y].isEmpty ? 0 : 1)
      return start < end ? start..<end : 0..<0
    }
  }

  /// How much wider or closer than the small pictures' the samples of a plane may lie that is warped onto them in one step.
  private static let alike = 0.1

  /// The small pictures' grid, or one of the reference on which samples lie about as wide as on the frame's: the warp is
  /// made for such, and takes many times as long to make five samples out of four, as of chroma.
  private func grid(near source: PlaneGrid, of registered: RegisteredFrame) -> PlaneGrid {
    let enlargement = registered.enlargement
    let widest = Double(min(referenceSize.width, referenceSize.height))
    func scale(_ samples: Int) -> Int {
      let pixels = Double(samples) * enlargement
      // Written so that what is no number stays as it is.
      guard abs(pixels / Double(factor) - 1) > Self.alike, pixels < widest else { return factor }
      return max(Int(pixels.rounded()), 1)
    }
    return PlaneGrid(scaleX: scale(source.scaleX), scaleY: scale(source.scaleY))
  }

  /// A part of a reduced plane as the reference's camera would have taken it, and which columns the frame shows, by row.
  /// - Parameter goesOn: whether what the frame does not show is as at its border, not 0.
  private func warp(
    _ reduced: Plane, on source: PlaneGrid, _ registered: RegisteredFrame, plane index: Int, to grid: PlaneGrid,
    region: Region, goesOn: Bool = false
  ) throws -> Part {
    var coverage = [Range<Int32>](repeating: 0..<0, count: region.height)
    let builder = try PlaneBuilder(width: region.width, height: region.height, bits: 8)
    builder.clear()
    let warp = PlaneWarp(
      of: reduced, on: source, to: grid, alignment: registered.alignment,
      levels: registered.alignment.photometric.channels[index].reduced(from: registered.frame.bits))
    warp.render(region, into: builder.base, stride: builder.stride) { coverage[$0] = $1 }
    if goesOn { builder.extend(coverage) }
    return (builder.finish(), coverage)
  }

  /// A plane averaged over blocks, at 8 bits, and where its samples sit.
  private func reduce(_ registered: RegisteredFrame, plane index: Int) throws -> (Plane, PlaneGrid) {
    let frame = registered.frame
    let plane = frame.planes[index]
    let grid = frame.grids[index]
    // A frame that shows the place with fewer pixels than the reference is reduced by less.
    let wanted = Double(factor) / registered.enlargement
    let factor = wanted > 1 ? Int(min(wanted, Double(max(plane.width, plane.height))).rounded()) : 1
    let blocks = max(1, min(factor / max(grid.scaleX, grid.scaleY), min(plane.width, plane.height)))
    let source = PlaneGrid(
      scaleX: blocks * grid.scaleX, scaleY: blocks * grid.scaleY,
      offsetX: grid.offsetX + Double(grid.scaleX * (blocks - 1)) / 2,
      offsetY: grid.offsetY + Double(grid.scaleY * (blocks - 1)) / 2)
    return (try plane.averaged(over: blocks), source)
  }
}

extension PlaneBuilder {
  /// Lets rows go on as at the ends of what is covered of them, and rows of which nothing is as the nearest one.
  fileprivate func extend(_ coverage: [Range<Int32>]) {
    for (y, columns) in coverage.enumerated() {
      guard let first = columns.first, let last = columns.last else { continue }
      let samples = row(y, as: UInt8.self)
      for x in 0..<Int(first) { samples[x] = samples[Int(first)] }
      for x in Int(last) + 1..<samples.count { samples[x] = samples[Int(last)] }
    }
    guard let first = coverage.firstIndex(where: { !$0.isEmpty }), let last = coverage.lastIndex(where: { !$0.isEmpty })
    else { return }
    for y in coverage.indices where coverage[y].isEmpty {
      _ = row(y, as: UInt8.self).update(fromContentsOf: row(y < first ? first : last, as: UInt8.self))
    }
  }
}

extension [Int32] {
  /// The places of the ascending numbers that lie in a range.
  fileprivate func places(in range: Range<Int32>) -> Range<Int32> {
    guard let start = firstIndex(where: range.contains), let last = lastIndex(where: range.contains) else {
      return 0..<0
    }
    return Int32(start)..<Int32(last) + 1
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
