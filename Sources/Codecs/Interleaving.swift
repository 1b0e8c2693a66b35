import Frames

extension Source {
  /// Splits rows of interleaved samples into planes.
  /// - Parameters:
  ///   - channels: samples per pixel in a row.
  ///   - taking: how many of them become planes, from the first.
  ///   - bits: 8 for bytes, more for native-endian words.
  ///   - row: the address of row `y`; called for every row in order.
  func deinterleave(
    size: Size, channels: Int, taking: Int, bits: Int, row: (Int) throws(CodecError) -> UnsafeRawPointer
  ) throws(CodecError) -> [Plane] {
    let builders = try planeBuilders(Array(repeating: size, count: taking), bits: bits)
    for y in 0..<size.height {
      let samples = try row(y)
      for (channel, builder) in builders.enumerated() {
        if bits > 8 {
          pick(samples, channel, channels, builder.row(y, as: UInt16.self))
        } else {
          pick(samples, channel, channels, builder.row(y, as: UInt8.self))
        }
      }
    }
    return builders.map { $0.finish() }
  }
}

private func pick<S: Sample>(
  _ samples: UnsafeRawPointer, _ channel: Int, _ channels: Int, _ target: UnsafeMutableBufferPointer<S>
) {
  let from = samples.assumingMemoryBound(to: S.self) + channel
  switch channels {
  case 1: for x in 0..<target.count { target[x] = from[x] }
  case 3: for x in 0..<target.count { target[x] = from[3 * x] }
  default: for x in 0..<target.count { target[x] = from[channels * x] }
  }
}

extension [Plane] {
  /// Writes row `y` of all planes interleaved, pixel by pixel; the planes must all be of one size.
  func interleave<S: Sample>(row y: Int, into target: UnsafeMutableBufferPointer<S>) {
    let channels = count
    for (channel, plane) in enumerated() {
      plane.withUnsafeRow(y, as: S.self) { row in
        for x in 0..<row.count { target[channels * x + channel] = row[x] }
      }
    }
  }
}
