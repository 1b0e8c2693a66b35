import Codecs
import Frames
import Resampling
import Stacking

extension AlignedBurst {
  /// What each frame shows where the plate is not known to be free.
  func openLayers(of plate: Frame, _ plan: SelectionPlan) async throws -> PlateLayers {
    let frames = frames.levelled(by: plan.colourOffsets)
    var places: [PlateLayers.OpenPlace] = []
    for cells in plan.openPlaces(in: crop) {
      let region = plan.pixels(around: cells, in: crop)
      var versions: [PlateLayers.Version] = []
      for frame in frames {
        if let version = try await version(frame, of: cells, region, plan) { versions.append(version) }
      }
      places.append(
        PlateLayers.OpenPlace(
          region: Region(x: region.x - crop.x, y: region.y - crop.y, width: region.width, height: region.height),
          versions: versions))
    }
    return PlateLayers(plate: plate, places: places)
  }

  /// What a frame shows of some cells; nil where it shows none of them.
  private func version(
    _ registered: RegisteredFrame, of cells: RegionMask, _ region: Region, _ plan: SelectionPlan
  ) async throws -> PlateLayers.Version? {
    guard let footprint = Footprint(alignment: registered.alignment, frameSize: registered.frame.size),
      let alpha = try plan.opacity(of: cells, over: region, footprint)
    else { return nil }
    var request = request([registered])
    request.crop = region
    return PlateLayers.Version(
      index: registered.index.rawValue, name: registered.frame.name,
      picture: picture(try await stack(request), like: reference),
      alpha: alpha)
  }
}

extension SelectionPlan {
  /// Cells between which somebody's parts may lie apart.
  private static let apart = 2
  /// Cells around a place, so that what is laid over it covers its rim.
  private static let rim = 2

  /// The unresolved places of a crop, the largest first, each as the cells of its versions.
  func openPlaces(in crop: Region) -> [RegionMask] {
    let places = unresolvedCells(in: crop).regions(of: true, joinedOver: .square(Self.apart))
    return places.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }.map {
      var place = RegionMask(size: Size(width: columns, height: rows))
      for cell in $0 { place.isSet[cell] = true }
      return place.grown(by: Self.rim)
    }
  }

  /// The luma pixels of a cell; the last column and row reach to the picture's end, and are taken for whole cells.
  private func pixels(ofCell index: Int) -> Region {
    Region(x: index % columns * cell, y: index / columns * cell, width: cell, height: cell)
  }

  /// The pixels around cells, in the reference, within a crop and from even columns and rows of it, where chroma begins.
  func pixels(around cells: RegionMask, in crop: Region) -> Region {
    var box: Region?
    for index in cells.isSet.indices where cells.isSet[index] {
      let next = pixels(ofCell: index)
      box = box.map { $0.union(next) } ?? next
    }
    let shown = (box ?? crop).intersection(crop)
    let (left, top) = ((shown.x - crop.x) & ~3, (shown.y - crop.y) & ~3)
    return Region(
      x: crop.x + left, y: crop.y + top, width: shown.maxX - crop.x - left, height: shown.maxY - crop.y - top)
  }

  /// 255 in cells, falling to 0 over a cell's side around them, and 0 where a frame shows nothing; nil where that is everywhere.
  /// - Parameter region: in the reference.
  func opacity(of cells: RegionMask, over region: Region, _ footprint: Footprint) throws(AllocationError) -> Plane? {
    let inner = cells.shrunk(by: 1)
    func level(_ column: Int, _ row: Int) -> Double {
      inner.isSet[min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)] ? 1 : 0
    }
    var isShown = false
    let plane = try Plane(width: region.width, height: region.height) { x, y in
      let point = Point(x: Double(x + region.x), y: Double(y + region.y))
      guard footprint.covers(point) else { return 0 }
      let (u, v) = ((point.x + 0.5) / Double(cell) - 0.5, (point.y + 0.5) / Double(cell) - 0.5)
      let (column, row) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
      let (right, below) = (u - Double(column), v - Double(row))
      let above = (1 - right) * level(column, row) + right * level(column + 1, row)
      let under = (1 - right) * level(column, row + 1) + right * level(column + 1, row + 1)
      let opacity = Int((255 * ((1 - below) * above + below * under)).rounded())
      if opacity > 0 { isShown = true }
      return opacity
    }
    return isShown ? plane : nil
  }
}

/// A picture small enough for file managers.
/// - Throws: `AllocationError`.
func thumbnail(of frame: Frame) throws(AllocationError) -> Frame {
  let side = 256
  let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
  let blocks = (max(frame.size.width, frame.size.height) + side - 1) / side
  let whole = try frame.converted(to: PixelLayout(encoding: encoding, bits: 8))
  var planes: [Plane] = []
  for plane in whole.planes { planes.append(try plane.averaged(over: min(blocks, plane.width, plane.height))) }
  return Frame(planes: planes, encoding: encoding, name: frame.name, metadata: frame.metadata)
}
