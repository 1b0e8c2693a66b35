import Frames

/// The colour of one frame at one place, in levels of 8 bits (fractions are dropped).
struct PixelColour {
  /// Luma, or what stands for it.
  var brightness: Int
  /// Blue and red colour difference, 0 for greys.
  var blue: Int
  var red: Int
}

/// Chooses frames by their whole colour at a place.
protocol PixelRule {
  /// - Parameters:
  ///   - colours: of the frames that cover the place, in their order; at least one.
  ///   - chosen: true for those whose mean is taken, at least one; comes in as all false.
  func choose(_ colours: UnsafeBufferPointer<PixelColour>, _ chosen: UnsafeMutableBufferPointer<Bool>)
}

/// Takes, for every sample of one plane, the mean of the frames that `rule` chooses by the whole colour there, so that
/// brightness and chroma come from the same frames. With subsampled chroma a chroma sample goes with the mean luma
/// that it belongs to.
/// - Parameter black: the sample for places that no frame covers.
func combineWholePixels<S: Sample>(
  _ request: StackRequest, _ tiles: [WarpedTile], plane: Int, rule: some PixelRule, into builder: PlaneBuilder,
  _ black: S
) {
  let tile = tiles[plane]
  let reader = ColourReader<S>(request, tiles, plane: plane)
  withUnsafeTemporaryAllocation(of: PixelColour.self, capacity: tile.frames) { colours in
    withUnsafeTemporaryAllocation(of: Bool.self, capacity: tile.frames) { chosen in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: tile.frames) { covering in
        for y in 0..<tile.region.height {
          let output = builder.row(tile.region.y + y, as: S.self).baseAddress! + tile.region.x
          for x in 0..<tile.region.width {
            var count = 0
            for k in 0..<tile.frames where tile.coverage[y * tile.frames + k].contains(Int32(x)) {
              colours[count] = reader.colour(k, x, y)
              covering[count] = k
              chosen[count] = false
              count += 1
            }
            guard count > 0 else {
              output[x] = black
              continue
            }
            rule.choose(
              UnsafeBufferPointer(rebasing: colours[..<count]), UnsafeMutableBufferPointer(rebasing: chosen[..<count]))
            var (sum, terms) = (0, 0)
            for i in 0..<count where chosen[i] {
              sum += Int(reader.sample(plane, covering[i], x, y))
              terms += 1
            }
            output[x] = S((2 * sum + terms) / (2 * terms))
          }
        }
      }
    }
  }
}

/// Reads whole colours at the places of one plane's samples.
private struct ColourReader<S: Sample> {
  private let bases: [UnsafePointer<S>]
  private let sizes: [Size]
  /// How many luma columns and rows belong to one sample of the plane, and of the chroma planes.
  private let own: (x: Int, y: Int)
  private let chroma: (x: Int, y: Int)
  private let isColour: Bool
  private let isRGB: Bool
  private let shift: Int

  init(_ request: StackRequest, _ tiles: [WarpedTile], plane: Int) {
    let frame = request.frames[0].frame
    bases = tiles.map { UnsafePointer($0.base.assumingMemoryBound(to: S.self)) }
    sizes = tiles.map { Size(width: $0.region.width, height: $0.region.height) }
    own = (request.grids[plane].scaleX, request.grids[plane].scaleY)
    let last = request.grids[request.grids.count - 1]
    chroma = (last.scaleX, last.scaleY)
    isColour = frame.planes.count == 3
    isRGB = frame.encoding == .rgb
    shift = frame.bits - 8
  }

  func sample(_ plane: Int, _ frame: Int, _ x: Int, _ y: Int) -> S {
    bases[plane][frame * TileLayout.frameStride + y * sizes[plane].width + x]
  }

  /// The colour of `frame` where the plane's sample (x, y) of the tile lies.
  func colour(_ frame: Int, _ x: Int, _ y: Int) -> PixelColour {
    guard !isRGB else {
      let (red, green, blue) = (level(0, frame, x, y), level(1, frame, x, y), level(2, frame, x, y))
      let brightness = (2 * red + 5 * green + blue) / 8
      return PixelColour(brightness: brightness, blue: (blue - brightness) / 2, red: (red - brightness) / 2)
    }
    let (left, top) = (x * own.x, y * own.y)
    let (right, bottom) = (min(left + own.x, sizes[0].width), min(top + own.y, sizes[0].height))
    var luma = 0
    for v in top..<bottom {
      for u in left..<right { luma += level(0, frame, u, v) }
    }
    luma /= (right - left) * (bottom - top)
    guard isColour else { return PixelColour(brightness: luma, blue: 0, red: 0) }
    let (u, v) = (min(left / chroma.x, sizes[1].width - 1), min(top / chroma.y, sizes[1].height - 1))
    return PixelColour(brightness: luma, blue: level(1, frame, u, v) - 128, red: level(2, frame, u, v) - 128)
  }

  private func level(_ plane: Int, _ frame: Int, _ x: Int, _ y: Int) -> Int {
    Int(sample(plane, frame, x, y)) >> shift
  }
}
