import CShimKernels
package import Frames

extension Plane {
  /// The plane at 8 bits, averaged over squares of `blocks` samples; what does not fill a square is left out. Means are
  /// rounded to the nearest level; halves to the even one, or upwards where `blocks` is 2. Of more than 8 bits the upper
  /// ones are what remains.
  /// - Parameter blocks: from 1 to the plane's smaller side.
  /// - Throws: `AllocationError`.
  package func averaged(over blocks: Int) throws(AllocationError) -> Plane {
    try averaged(across: blocks, down: blocks)
  }

  /// The same over rectangles of `across` samples by `down`.
  /// - Throws: `AllocationError`.
  package func averaged(across: Int, down: Int) throws(AllocationError) -> Plane {
    precondition(1...width ~= across && 1...height ~= down)
    guard across * down > 1 || bits > 8 else { return self }
    let builder = try PlaneBuilder(width: width / across, height: height / down, bits: 8)
    guard across != 2 || down != 2 || bits > 8 else {
      halve(into: builder)
      return builder.finish()
    }
    let mean = RoundedMean(samples: across * down, bits: bits)
    forEachRowOfBlocks(
      BlockAxis(count: width / across, length: across), BlockAxis(count: height / down, length: down)
    ) { y, _, sums in
      let target = builder.row(y, as: UInt8.self)
      for x in 0..<target.count { target[x] = mean(sums[x]) }
    }
    return builder.finish()
  }

  /// Averages squares of four bytes.
  private func halve(into builder: PlaneBuilder) {
    for y in 0..<builder.height {
      withUnsafeRow(2 * y, as: UInt8.self) { above in
        withUnsafeRow(2 * y + 1, as: UInt8.self) { below in
          let target = builder.row(y, as: UInt8.self)
          cs_halve_row(above.baseAddress, below.baseAddress, Int32(target.count), target.baseAddress)
        }
      }
    }
  }

  /// The sum of planes of one size at 8 bits, each averaged over squares of `blocks` samples and rounded at its own depth.
  /// The sum is rounded to the nearest level; halves to the even one.
  /// - Parameters:
  ///   - weights: one for each plane.
  ///   - blocks: from 1 to the planes' smaller side.
  /// - Throws: `AllocationError`.
  package static func averagedSum(
    of planes: [Plane], weights: [Double], over blocks: Int
  ) throws(AllocationError) -> Plane {
    precondition((1...min(planes[0].width, planes[0].height)).contains(blocks) && weights.count == planes.count)
    let builder = try PlaneBuilder(width: planes[0].width / blocks, height: planes[0].height / blocks, bits: 8)
    let (columns, rows) = (
      BlockAxis(count: builder.width, length: blocks), BlockAxis(count: builder.height, length: blocks)
    )
    var levels = [Float](repeating: 0, count: builder.width * builder.height)
    for (plane, weight) in zip(planes, weights) {
      let mean = RoundedMean(samples: blocks * blocks, bits: plane.bits)
      let toBytes = Double(Float(255 / Double(plane.maximum) * weight))
      plane.forEachRowOfBlocks(columns, rows) { y, _, sums in
        levels.withUnsafeMutableBufferPointer { levels in
          let row = UnsafeMutableBufferPointer(rebasing: levels[(y * builder.width)...].prefix(builder.width))
          // Doubles hold products of samples exactly, so that sums are rounded once on every processor.
          for x in 0..<row.count { row[x] = Float(Double(row[x]) + Double(mean.ofSamples(sums[x])) * toBytes) }
        }
      }
    }
    for y in 0..<builder.height {
      let target = builder.row(y, as: UInt8.self)
      levels.withUnsafeBufferPointer { levels in
        for x in 0..<target.count {
          target[x] = min(max(levels[y &* target.count &+ x].nearestWhole, 0), 255).truncatedByte
        }
      }
    }
    return builder.finish()
  }

  /// The plane at 16 bits, averaged over squares of luma pixels and rounded down: a sample that stands for several of
  /// them counts where it lies, or all over where it is larger than a square.
  /// - Parameters:
  ///   - factor: luma pixels along a square's side.
  ///   - grid: where the samples sit among the luma pixels.
  ///   - size: of the result; what lies beyond is left out.
  /// - Throws: `AllocationError`.
  package func averaged(over factor: Int, on grid: PlaneGrid, to size: Size) throws(AllocationError) -> Plane {
    let builder = try PlaneBuilder(width: size.width, height: size.height, bits: 16)
    let columns = BlockAxis(count: size.width, pixels: factor, perSample: grid.scaleX, extent: width)
    let rows = BlockAxis(count: size.height, pixels: factor, perSample: grid.scaleY, extent: height)
    forEachRowOfBlocks(columns, rows) { y, height, sums in
      let target = builder.row(y, as: UInt16.self)
      for x in 0..<target.count {
        target[x] = UInt16((UInt64(sums[x]) << UInt64(16 - bits)) / UInt64(columns.samples(x).count * height))
      }
    }
    return builder.finish()
  }

  /// Tells of every row of blocks how many samples high it is, and the blocks' sums.
  private func forEachRowOfBlocks(
    _ columns: BlockAxis, _ rows: BlockAxis, _ body: (_ y: Int, _ height: Int, UnsafeBufferPointer<UInt32>) -> Void
  ) {
    if bits > 8 {
      forEachRowOfBlocks(columns, rows, UInt16.self, body)
    } else if let across = columns.length {
      forEachRowOfBytes(columns.count, across: across, rows, body)
    } else {
      forEachRowOfBlocks(columns, rows, UInt8.self, body)
    }
  }

  /// The same of bytes, in blocks of `across` samples side by side.
  private func forEachRowOfBytes(
    _ count: Int, across: Int, _ rows: BlockAxis, _ body: (Int, Int, UnsafeBufferPointer<UInt32>) -> Void
  ) {
    var line = [UInt16](repeating: 0, count: across * count)
    var sums = [UInt32](repeating: 0, count: count)
    for y in 0..<rows.count {
      let samples = rows.samples(y)
      withUnsafeRow(samples.lowerBound, as: UInt8.self) { row in
        cs_sum_blocks(
          row.baseAddress, stride, Int32(across), Int32(samples.count), Int32(count), &line, &sums)
      }
      sums.withUnsafeBufferPointer { body(y, samples.count, $0) }
    }
  }

  private func forEachRowOfBlocks<S: Sample>(
    _ columns: BlockAxis, _ rows: BlockAxis, _ type: S.Type, _ body: (Int, Int, UnsafeBufferPointer<UInt32>) -> Void
  ) {
    var line = [UInt32](repeating: 0, count: columns.end)
    var sums = [UInt32](repeating: 0, count: columns.count)
    for y in 0..<rows.count {
      let height = rows.samples(y)
      for x in line.indices { line[x] = 0 }
      for row in height {
        withUnsafeRow(row, as: type) { row in
          line.withUnsafeMutableBufferPointer { line in
            for x in 0..<line.count { line[x] &+= UInt32(truncatingIfNeeded: row[x]) }
          }
        }
      }
      line.withUnsafeBufferPointer { line in
        sums.withUnsafeMutableBufferPointer { columns.add(line, to: $0) }
      }
      sums.withUnsafeBufferPointer { body(y, height.count, $0) }
    }
  }
}

/// The blocks along one axis of a plane.
private struct BlockAxis {
  let count: Int
  /// Luma pixels along a block's side, and along a sample's.
  private let pixels: Int
  private let perSample: Int
  /// Samples that there are.
  private let extent: Int

  /// Blocks of so many samples.
  init(count: Int, length: Int) {
    self.init(count: count, pixels: length, perSample: 1, extent: count * length)
  }

  /// Blocks of luma pixels.
  init(count: Int, pixels: Int, perSample: Int, extent: Int) {
    (self.count, self.pixels, self.perSample, self.extent) = (count, pixels, perSample, extent)
  }

  /// The samples of a block, one at least.
  func samples(_ block: Int) -> Range<Int> {
    let start = min(block * pixels / perSample, extent - 1)
    return start..<min(max((block + 1) * pixels / perSample, start + 1), extent)
  }

  /// How many samples every block is long, where all of them are whole.
  var length: Int? { perSample == 1 && count * pixels <= extent ? pixels : nil }

  /// Where the last block ends.
  var end: Int { count > 0 ? samples(count - 1).upperBound : 0 }

  /// Adds up the samples of every block.
  @inline(__always)
  func add(_ line: UnsafeBufferPointer<UInt32>, to sums: UnsafeMutableBufferPointer<UInt32>) {
    guard perSample == 1 else {
      for block in 0..<sums.count { sums[block] = samples(block).reduce(0) { $0 &+ line[$1] } }
      return
    }
    for block in 0..<sums.count { sums[block] = 0 }
    for place in 0..<pixels {
      for block in 0..<sums.count { sums[block] &+= line[block &* pixels &+ place] }
    }
  }
}

/// A mean of samples at 8 bits, from their sum.
private struct RoundedMean {
  private let samples: Int
  private let share: Float
  private let toBytes: Float

  init(samples: Int, bits: Int) {
    self.samples = samples
    share = 1 / Float(samples)
    toBytes = 1 / Float(1 << (bits - 8))
  }

  @inline(__always)
  func callAsFunction(_ sum: UInt32) -> UInt8 {
    // First at the samples' own depth, then at 8 bits.
    let mean = ofSamples(sum)
    guard toBytes != 1 else { return mean.truncatedByte }
    // Rounded down. By a whisker less than a half, or whole odd levels, which then lie midway, would lose one.
    return min(max((mean * toBytes - 0.499).nearestWhole, 0), 255).truncatedByte
  }

  /// At the samples' own depth.
  @inline(__always)
  func ofSamples(_ sum: UInt32) -> Float {
    samples == 4 ? Float((sum &+ 2) &>> 2) : (Float(sum) * share).nearestWhole
  }
}
