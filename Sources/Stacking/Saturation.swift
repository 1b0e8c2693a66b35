import CShimKernels
import Clipping
import Frames

/// Keeps samples that were clipped in the camera from outvoting others: of a frame that is brighter than the reference,
/// white comes out as grey once the exposures are matched, and what is nearly white as too dark.
///
/// Where a frame is doubted, its bright samples take the mean of what most of the others agree on that may be what was clipped,
/// so that they change nothing but speak against what is not: as bright at least, and no brighter, nor of another colour, than
/// white leaves room for. Where there are none, what the frame shows that clips last, which is nearest to what was there. That
/// it is one frame for all of a place matters: phones render a bright sky otherwise in every photo, and where the brightest of
/// them counted, whether a sample was clipped would show. For the same reason doubt grows slowly, from place to place and with
/// brightness.
struct Saturation: Sendable {
  private let doubted: DoubtedFrames
  /// Nil where no plane is chroma.
  private let chroma: cs_chroma_in_light?
  private let bits: Int
  /// Of the planes.
  private let grids: [PlaneGrid]
  private let crop: Region

  init(_ request: StackRequest) {
    let frame = request.frames[0].frame
    bits = frame.bits
    (grids, crop) = (request.grids, request.crop)
    chroma = frame.encoding.chromaInLight(bits: bits)
    doubted = DoubtedFrames(among: request.frames, bits: bits)
  }

  /// Replaces what is doubted in a tile of all planes.
  func repair(_ tiles: [WarpedTile]) {
    let shown = Region(
      x: tiles[0].region.x + crop.x, y: tiles[0].region.y + crop.y, width: tiles[0].region.width,
      height: tiles[0].region.height)
    let frames = doubted.frames.filter { $0.isDoubted(in: shown) }
    guard !frames.isEmpty else { return }
    if bits > 8 { repair(tiles, of: frames, as: UInt16.self) } else { repair(tiles, of: frames, as: UInt8.self) }
  }

  private func repair<S: Sample>(_ tiles: [WarpedTile], of frames: [DoubtedFrame], as type: S.Type) {
    var marks = ClippedSamples(tiles[0], bits: bits)
    guard chroma != nil else {
      for frame in frames { mark(frame, tiles, as: type) { marks.set(frame.position, row: $0, doubts: $1, rooms: $2) } }
      for (plane, tile) in tiles.enumerated() {
        marks.repair(
          tile, lastFirst: doubted.lastFirst[plane], as: S.self, light: LightBeside(tile: tile),
          colours: ColoursBeside(tiles: tiles.count > 1 ? tiles : [], areChroma: false))
      }
      return
    }
    let (light, colours) = (tiles[0], Array(tiles[1...]))
    var chromaMarks = ClippedSamples(colours[0], bits: bits)
    let (scaleX, scaleY) = (grids[1].scaleX, grids[1].scaleY)
    for frame in frames {
      mark(frame, tiles, as: type) { y, doubts, rooms in
        chromaMarks.set(frame.position, row: y, doubts: doubts, rooms: rooms)
        for v in y * scaleY..<min((y + 1) * scaleY, light.region.height) {
          marks.set(frame.position, row: v, doubts: doubts, rooms: rooms, times: scaleX)
        }
      }
    }
    // Luma tells who is as bright, so that it comes last.
    for tile in colours {
      chromaMarks.repair(
        tile, lastFirst: doubted.lastFirst[0], as: S.self,
        light: LightBeside(tile: light, scaleX: scaleX, scaleY: scaleY),
        colours: ColoursBeside(tiles: colours, areChroma: true))
    }
    marks.repair(
      light, lastFirst: doubted.lastFirst[0], as: S.self, light: LightBeside(tile: light),
      colours: ColoursBeside(tiles: colours, areChroma: true, scaleX: scaleX, scaleY: scaleY))
  }

  /// Finds the samples of a frame that are doubted, among those of the last plane, whose grid is the widest: where one colour
  /// is clipped, none of the planes is right.
  /// - Parameter set: is handed the rows with any, how little each of their samples is to be believed, and by how many levels
  ///   of 8 bits light may exceed it.
  private func mark<S: Sample>(
    _ frame: DoubtedFrame, _ tiles: [WarpedTile], as type: S.Type,
    _ set: (_ row: Int, _ doubts: [UInt8], _ rooms: [UInt8]) -> Void
  ) {
    let (grid, region) = (grids[grids.count - 1], tiles[tiles.count - 1].region)
    var known = frame.row(
      from: Double(region.x * grid.scaleX + crop.x) + grid.offsetX, step: Double(grid.scaleX), count: region.width)
    var brightness = [[Int32]](repeating: Array(repeating: 0, count: region.width), count: doubted.lastFirst.count)
    for y in 0..<region.height {
      frame.fill(&known, at: Double((region.y + y) * grid.scaleY + crop.y) + grid.offsetY)
      guard !known.isBelieved else { continue }
      for plane in brightness.indices {
        if let chroma {
          measureBrightness(tiles, frame.position, row: y, chroma, as: type, into: &brightness[plane])
        } else {
          let row = tiles[plane].samples(frame.position, row: y, as: S.self)
          for x in 0..<region.width { brightness[plane][x] = Int32(row[x]) }
        }
      }
      let doubts = frame.doubts(in: known, brightness: brightness)
      if doubts.contains(where: { $0 > 0 }) { set(y, doubts, doubted.rooms(above: brightness)) }
    }
  }

  /// The brightest of the colours at the samples of a row of chroma, in levels of luma, which hides that red or blue is clipped.
  private func measureBrightness<S: Sample>(
    _ tiles: [WarpedTile], _ frame: Int, row y: Int, _ chroma: cs_chroma_in_light, as type: S.Type,
    into brightness: inout [Int32]
  ) {
    let (scaleX, scaleY) = (grids[1].scaleX, grids[1].scaleY)
    let light = tiles[0]
    withUnsafeTemporaryAllocation(of: S.self, capacity: light.region.width) { brightest in
      brightest.initialize(repeating: 0)
      for v in y * scaleY..<min((y + 1) * scaleY, light.region.height) {
        let row = light.samples(frame, row: v, as: S.self)
        for x in brightest.indices { brightest[x] = max(brightest[x], row[x]) }
      }
      for x in brightness.indices {
        brightness[x] = brightest[x &* scaleX..<min((x &+ 1) &* scaleX, brightest.count)].reduce(0) {
          max($0, Int32($1))
        }
      }
    }
    cs_raise_to_brightest(
      &brightness, tiles[1].samples(frame, row: y, as: S.self), tiles[2].samples(frame, row: y, as: S.self),
      Int32(MemoryLayout<S>.size), chroma, Int32(brightness.count))
  }
}
