import Frames

/// The colour of one frame at one place, in levels of 8 bits (fractions are dropped).
struct PixelColour {
  /// Luma, or what stands for it, 0...255.
  var brightness: Int16
  /// Blue and red colour difference, -128...127; 0 for greys.
  var blue: Int16
  var red: Int16
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
func combineWholePixels<S: Sample>(
  _ request: StackRequest, _ tiles: [WarpedTile], plane: Int, rule: some PixelRule, into builder: PlaneBuilder,
  as type: S.Type
) {
  let tile = tiles[plane]
  let reader = ColourReader<S>(request, tiles, plane: plane)
  let width = tile.region.width
  var seen = SeenRow(frames: tile.frames, width: width)
  tile.forEachRow(in: builder, as: S.self) { y, output in
    seen.clear()
    for frame in 0..<tile.frames {
      seen.add(frame, columns: tile.coverage[y * tile.frames + frame]) { reader.read(frame, row: y, columns: $0, $1) }
    }
    let samples = tile.samples(0, row: y, as: S.self)
    for x in 0..<width {
      let covering = seen.covering(x)
      guard !covering.isEmpty else {
        output[x] = S(tile.black)
        continue
      }
      let chosen = seen.chosen(x, by: rule)
      var (sum, terms) = (0, 0)
      for (index, frame) in covering.enumerated() where chosen[index] {
        sum += Int(samples[Int(frame) * TileLayout.frameStride + x])
        terms += 1
      }
      output[x] = S((2 * sum + terms) / (2 * terms))
    }
  }
}

/// The colours that the frames show in one row, place by place.
private struct SeenRow: ~Copyable {
  private let frames: Int
  private let width: Int
  /// Of the frames that cover a place, `frames` apart from those of the next; as the numbers of these frames.
  private let colours: UnsafeMutablePointer<PixelColour>
  private let numbers: UnsafeMutablePointer<Int32>
  /// How many frames cover a place.
  private let counts: UnsafeMutablePointer<Int>
  private let row: UnsafeMutablePointer<PixelColour>
  private let isChosen: UnsafeMutablePointer<Bool>

  init(frames: Int, width: Int) {
    self.frames = frames
    self.width = width
    colours = .allocate(capacity: frames * width)
    numbers = .allocate(capacity: frames * width)
    counts = .allocate(capacity: width)
    row = .allocate(capacity: width)
    isChosen = .allocate(capacity: frames)
  }

  deinit {
    colours.deallocate()
    numbers.deallocate()
    counts.deallocate()
    row.deallocate()
    isChosen.deallocate()
  }

  mutating func clear() { counts.update(repeating: 0, count: width) }

  /// Adds a frame where it covers the row.
  /// - Parameters:
  ///   - read: writes the colours of some columns, each at its column.
  mutating func add(
    _ frame: Int, columns: Range<Int32>, read: (Range<Int>, UnsafeMutablePointer<PixelColour>) -> Void
  ) {
    let columns = Int(columns.lowerBound)..<Int(columns.upperBound)
    read(columns, row)
    for x in columns {
      let place = x * frames + counts[x]
      colours[place] = row[x]
      numbers[place] = Int32(frame)
      counts[x] += 1
    }
  }

  /// The frames that cover a place.
  func covering(_ x: Int) -> UnsafeBufferPointer<Int32> {
    UnsafeBufferPointer(start: numbers + x * frames, count: counts[x])
  }

  /// Which of these frames a rule chooses.
  mutating func chosen(_ x: Int, by rule: some PixelRule) -> UnsafeBufferPointer<Bool> {
    isChosen.update(repeating: false, count: counts[x])
    let chosen = UnsafeMutableBufferPointer(start: isChosen, count: counts[x])
    rule.choose(UnsafeBufferPointer(start: colours + x * frames, count: counts[x]), chosen)
    return UnsafeBufferPointer(chosen)
  }
}

/// Reads whole colours at the places of one plane's samples.
private struct ColourReader<S: Sample> {
  private let tiles: [WarpedTile]
  /// How many luma columns and rows belong to one sample of the plane.
  private let own: (x: Int, y: Int)
  /// The column of the chroma planes that belongs to one of the plane's.
  private let chromaColumns: [Int]
  /// How many luma rows belong to one of the chroma planes'.
  private let chromaRows: Int
  private let isColour: Bool
  private let isRGB: Bool
  private let shift: S

  init(_ request: StackRequest, _ tiles: [WarpedTile], plane: Int) {
    let frame = request.frames[0].frame
    self.tiles = tiles
    let own = (x: request.grids[plane].scaleX, y: request.grids[plane].scaleY)
    self.own = own
    let last = request.grids[request.grids.count - 1]
    let chromaWidth = tiles[tiles.count - 1].region.width
    chromaColumns = (0..<tiles[plane].region.width).map { min($0 * own.x / last.scaleX, chromaWidth - 1) }
    chromaRows = last.scaleY
    isColour = frame.planes.count == 3
    isRGB = frame.encoding == .rgb
    shift = S(frame.bits - 8)
  }

  /// Writes the colours of a frame in some columns of one row of the plane's tile, each at its column.
  func read(_ frame: Int, row y: Int, columns: Range<Int>, _ colours: UnsafeMutablePointer<PixelColour>) {
    guard !isRGB else {
      let (reds, greens, blues) = (samples(0, frame, y), samples(1, frame, y), samples(2, frame, y))
      for x in columns {
        let (red, green, blue) = (level(reds[x]), level(greens[x]), level(blues[x]))
        let brightness = (2 * red + 5 * green + blue) / 8
        colours[x] = PixelColour(brightness: brightness, blue: (blue - brightness) / 2, red: (red - brightness) / 2)
      }
      return
    }
    readLuma(frame, row: y, columns: columns, colours)
    guard isColour else { return }
    let v = min(y * own.y / chromaRows, tiles[1].region.height - 1)
    let (blue, red) = (samples(1, frame, v), samples(2, frame, v))
    for x in columns {
      colours[x].blue = level(blue[chromaColumns[x]]) - 128
      colours[x].red = level(red[chromaColumns[x]]) - 128
    }
  }

  /// Writes greys: the means of the luma that belongs to the plane's samples.
  private func readLuma(_ frame: Int, row y: Int, columns: Range<Int>, _ colours: UnsafeMutablePointer<PixelColour>) {
    guard own != (1, 1) else {
      let luma = samples(0, frame, y)
      for x in columns { colours[x] = PixelColour(brightness: level(luma[x]), blue: 0, red: 0) }
      return
    }
    for x in columns { colours[x] = PixelColour(brightness: 0, blue: 0, red: 0) }
    let rows = y * own.y..<min((y + 1) * own.y, tiles[0].region.height)
    let width = tiles[0].region.width
    for v in rows {
      let luma = samples(0, frame, v)
      for x in columns {
        var sum: Int16 = 0
        for u in x &* own.x..<min((x &+ 1) &* own.x, width) { sum &+= level(luma[u]) }
        colours[x].brightness &+= sum
      }
    }
    for x in columns {
      colours[x].brightness /= Int16((min((x + 1) * own.x, width) - x * own.x) * rows.count)
    }
  }

  private func samples(_ plane: Int, _ frame: Int, _ y: Int) -> UnsafePointer<S> {
    tiles[plane].samples(frame, row: y, as: S.self)
  }

  private func level(_ sample: S) -> Int16 { Int16(truncatingIfNeeded: sample &>> shift) }
}
