import Frames
import Resampling

/// The samples of every frame for one tile of one plane, in a worker's own memory.
///
/// Row y of frame k starts at `base + k * TileLayout.frameStride + y * region.width`, in samples.
final class WarpedTile {
  let frames: Int
  let bytesPerSample: Int
  /// The sample for what nobody covers.
  let black: Int
  /// Where the tile lies in the plate's plane; set for each tile.
  var region = Region(x: 0, y: 0, width: 0, height: 0)
  /// The columns of the tile that a frame covers, by row and frame: `coverage[y * frames + k]`. Plain memory, since it is
  /// written row by row of every frame.
  let coverage: UnsafeMutableBufferPointer<Range<Int32>>
  let base: UnsafeMutableRawPointer
  /// How much each frame counts in a mean. Plain memory of its own as well: an array is counted as long as a part of a row is
  /// in use, and workers that count one together wait for each other.
  let weights: UnsafeBufferPointer<UInt8>
  /// Room for the compacted samples of one part of a row, and for the weights of the frames that they are of.
  private let spare: UnsafeMutableRawPointer
  private let spareWeights: UnsafeMutableBufferPointer<UInt8>

  init(weights: [UInt8], bytesPerSample: Int, black: Int) {
    frames = weights.count
    (self.bytesPerSample, self.black) = (bytesPerSample, black)
    let own = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: frames)
    _ = own.initialize(fromContentsOf: weights)
    self.weights = UnsafeBufferPointer(own)
    spareWeights = .allocate(capacity: frames)
    coverage = .allocate(capacity: TileLayout.height * frames)
    coverage.initialize(repeating: 0..<0)
    let byteCount = frames * TileLayout.frameStride * bytesPerSample
    base = .allocate(byteCount: byteCount, alignment: 64)
    spare = .allocate(byteCount: byteCount, alignment: 64)
  }

  deinit {
    coverage.deallocate()
    base.deallocate()
    weights.deallocate()
    spare.deallocate()
    spareWeights.deallocate()
  }

  /// Bytes from a row of a frame to its next row.
  var rowStride: Int { region.width * bytesPerSample }

  /// Where frame `k` starts.
  func frame(_ k: Int) -> UnsafeMutableRawPointer { base + k * TileLayout.frameStride * bytesPerSample }

  /// The samples of row `y` of frame `k`.
  func samples<S: Sample>(_ k: Int, row y: Int, as type: S.Type) -> UnsafePointer<S> {
    UnsafePointer(mutableSamples(k, row: y, as: type))
  }

  /// The same, to be changed.
  func mutableSamples<S: Sample>(_ k: Int, row y: Int, as type: S.Type) -> UnsafeMutablePointer<S> {
    base.assumingMemoryBound(to: S.self) + k * TileLayout.frameStride + y * region.width
  }

  /// Renders the tile's region of a plane of every frame.
  func render(_ warps: [PlaneWarp]) {
    for (k, warp) in warps.enumerated() {
      warp.render(region, into: frame(k), stride: rowStride) { y, columns in
        if bytesPerSample > 1 {
          cover(columns, frame: k, row: y, as: UInt16.self)
        } else {
          cover(columns, frame: k, row: y, as: UInt8.self)
        }
      }
    }
  }

  /// Sets which columns of row `y` frame `k` covers, and makes the others black: they hold what the worker's earlier tiles
  /// left, and which those were depends on how many workers there are.
  private func cover<S: Sample>(_ columns: Range<Int32>, frame k: Int, row y: Int, as type: S.Type) {
    coverage[y * frames + k] = columns
    let (samples, black) = (mutableSamples(k, row: y, as: S.self), S(black))
    let (start, end) = (Int(columns.lowerBound), Int(columns.upperBound))
    if start > 0 { samples.update(repeating: black, count: start) }
    if end < region.width { (samples + end).update(repeating: black, count: region.width - end) }
  }

  /// Hands over where every row of the tile goes in the plate's plane. That is looked up once: workers that count the plane for
  /// every row wait for each other.
  func forEachRow<S: Sample>(
    in plane: PlaneBuilder, as type: S.Type, _ body: (_ y: Int, _ output: UnsafeMutablePointer<S>) -> Void
  ) {
    let (first, stride) = (plane.base + region.y * plane.stride, plane.stride)
    for y in 0..<region.height { body(y, (first + y * stride).assumingMemoryBound(to: S.self) + region.x) }
  }

  /// Whether frame `k` shows all of `columns` in row `y`.
  func covers(_ k: Int, row y: Int, columns: Range<Int>) -> Bool {
    let range = coverage[y * frames + k]
    return range.lowerBound <= columns.lowerBound && Int(range.upperBound) >= columns.upperBound
  }

  /// A part of a row, and the samples of the frames that cover it; valid until the tile's next part.
  struct Span<S: Sample> {
    let columns: Range<Int>
    /// How much each of the frames counts in a mean; as many as there are frames.
    let weights: UnsafeBufferPointer<UInt8>
    /// Where the samples for the first column start, `TileLayout.frameStride` apart, in the frames' order.
    let samples: UnsafePointer<S>

    var frames: Int { weights.count }
  }

  /// Splits row `y` where coverage changes and hands over each part.
  ///
  /// Where some frames do not cover a part, the others' samples are first moved together, so that `body` always
  /// finds its frames without gaps. Parts that no frame covers are passed without any.
  func forEachSpan<S: Sample>(row y: Int, as type: S.Type, _ body: (Span<S>) -> Void) {
    forEachSpan(row: y, columns: 0..<region.width, among: nil, as: type, body)
  }

  /// The same for some columns of the row and some of the frames, ascending; nil stands for all, who also take over
  /// where none of those cover.
  func forEachSpan<S: Sample>(
    row y: Int, columns: Range<Int>, among sources: [RegisteredIndex]?, as type: S.Type, _ body: (Span<S>) -> Void
  ) {
    let samples = base.assumingMemoryBound(to: S.self) + y * region.width
    let ranges = coverage[y * frames..<(y + 1) * frames]
    let everybodyCovers = ranges.allSatisfy {
      $0.lowerBound <= Int32(columns.lowerBound) && $0.upperBound >= Int32(columns.upperBound)
    }
    if everybodyCovers && sources == nil {
      body(Span(columns: columns, weights: weights, samples: UnsafePointer(samples + columns.lowerBound)))
      return
    }
    var sorted = [columns.lowerBound, columns.upperBound]
    if !everybodyCovers {
      var cuts = Set(sorted)
      for range in ranges where !range.isEmpty {
        cuts.insert(Int(range.lowerBound).clamped(to: columns))
        cuts.insert(Int(range.upperBound).clamped(to: columns))
      }
      sorted = cuts.sorted()
    }
    for (start, end) in zip(sorted, sorted.dropFirst()) {
      var taken = 0
      if let sources { taken = compact(sources.lazy.map(\.rawValue), start..<end, ranges, samples) }
      if taken == 0 { taken = compact(0..<frames, start..<end, ranges, samples) }
      body(
        Span(
          columns: start..<end, weights: UnsafeBufferPointer(rebasing: spareWeights[..<taken]),
          samples: UnsafePointer(spare.assumingMemoryBound(to: S.self))))
    }
  }

  /// Moves the samples of those of `candidates` that cover all of `columns` together, and their weights.
  /// - Returns: how many these are.
  private func compact<S: Sample>(
    _ candidates: some Sequence<Int>, _ columns: Range<Int>,
    _ ranges: Slice<UnsafeMutableBufferPointer<Range<Int32>>>,
    _ samples: UnsafeMutablePointer<S>
  ) -> Int {
    let target = spare.assumingMemoryBound(to: S.self)
    var taken = 0
    for k in candidates {
      let range = ranges[ranges.startIndex + k]
      guard range.lowerBound <= columns.lowerBound && Int(range.upperBound) >= columns.upperBound else { continue }
      (target + taken * TileLayout.frameStride).update(
        from: samples + k * TileLayout.frameStride + columns.lowerBound, count: columns.count)
      spareWeights[taken] = weights[k]
      taken += 1
    }
    return taken
  }
}

extension Int {
  fileprivate func clamped(to range: Range<Int>) -> Int {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
