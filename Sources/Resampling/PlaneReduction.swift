package import Frames

extension Plane {
  /// The plane at 8 bits, averaged over squares of `blocks` samples; what does not fill a square is left out. Means are
  /// rounded to the nearest level; halves to the even one, or upwards where `blocks` is 2.
  /// - Parameter blocks: from 1 to the plane's smaller side.
  /// - Throws: `AllocationError`.
  package func averaged(over blocks: Int) throws(AllocationError) -> Plane {
    precondition((1...min(width, height)).contains(blocks))
    let builder = try PlaneBuilder(width: width / blocks, height: height / blocks, bits: 8)
    if bits > 8 {
      average(over: blocks, into: builder, UInt16.self)
    } else {
      average(over: blocks, into: builder, UInt8.self)
    }
    return builder.finish()
  }

  private func average<S: Sample>(over blocks: Int, into builder: PlaneBuilder, _ type: S.Type) {
    var columns = [UInt32](repeating: 0, count: builder.width * blocks)
    var sums = [UInt32](repeating: 0, count: builder.width)
    let mean = BlockMean(samples: blocks * blocks, bits: bits)
    for y in 0..<builder.height {
      for x in columns.indices { columns[x] = 0 }
      for row in y * blocks..<(y + 1) * blocks {
        withUnsafeRow(row, as: type) { row in
          columns.withUnsafeMutableBufferPointer { columns in
            for x in 0..<columns.count { columns[x] &+= UInt32(truncatingIfNeeded: row[x]) }
          }
        }
      }
      columns.withUnsafeBufferPointer { columns in
        sums.withUnsafeMutableBufferPointer { sums in
          for x in 0..<sums.count {
            var sum: UInt32 = 0
            for column in x &* blocks..<(x &+ 1) &* blocks { sum &+= columns[column] }
            sums[x] = sum
          }
        }
      }
      let target = builder.row(y, as: UInt8.self)
      sums.withUnsafeBufferPointer { sums in
        for x in 0..<target.count { target[x] = mean(sums[x]) }
      }
    }
  }
}

/// A mean of samples at 8 bits, from their sum.
private struct BlockMean {
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
    let mean = samples == 4 ? Float((sum &+ 2) &>> 2) : (Float(sum) * share).nearestWhole
    guard toBytes != 1 else { return mean.truncatedByte }
    return min(max((mean * toBytes - 0.5).nearestWhole, 0), 255).truncatedByte
  }
}
