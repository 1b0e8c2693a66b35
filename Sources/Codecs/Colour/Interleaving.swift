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
        builder.take(channel, of: channels, from: samples, count: size.width, x: 0, y: y)
      }
    }
    return builders.map { $0.finish() }
  }
}

/// Whether any of some pixels is not opaque.
/// - Parameters:
///   - alpha: which of a pixel's samples says so: the largest stands for opaque.
///   - channels: samples per pixel.
///   - samples: the first pixel's, bytes or native-endian words.
///   - count: of pixels.
///   - bits: of a sample.
func isTransparent(alpha: Int, of channels: Int, in samples: UnsafeRawPointer, count: Int, bits: Int) -> Bool {
  func isAnyBelow<S: Sample>(_ opaque: S) -> Bool {
    let first = samples.assumingMemoryBound(to: S.self) + alpha
    return (0..<count).contains { first[channels * $0] < opaque }
  }
  return bits > 8 ? isAnyBelow(UInt16((1 << bits) - 1)) : isAnyBelow(UInt8.max)
}

/// The same of a plane of alpha.
/// - Parameters:
///   - first: its first sample.
///   - stride: bytes from one row to the next.
///   - bits: of a sample.
func isTransparent(plane first: UnsafeRawPointer, stride: Int, size: Size, bits: Int) -> Bool {
  (0..<size.height).contains { isTransparent(alpha: 0, of: 1, in: first + $0 * stride, count: size.width, bits: bits) }
}

extension PlaneBuilder {
  /// Takes one channel out of interleaved pixels, into row `y` from column `x` on.
  /// - Parameters:
  ///   - channels: samples per pixel.
  ///   - samples: the first pixel's, bytes or native-endian words as the plane's.
  ///   - count: of pixels.
  ///   - inverted: whether black is the largest sample.
  func take(
    _ channel: Int, of channels: Int, from samples: UnsafeRawPointer, count: Int, x: Int, y: Int, inverted: Bool = false
  ) {
    if bits > 8 {
      pick(samples, channel, channels, row(y, as: UInt16.self).extracting(x..<x + count), inverted)
    } else {
      pick(samples, channel, channels, row(y, as: UInt8.self).extracting(x..<x + count), inverted)
    }
  }
}

private func pick<S: Sample>(
  _ samples: UnsafeRawPointer, _ channel: Int, _ channels: Int, _ target: UnsafeMutableBufferPointer<S>,
  _ inverted: Bool
) {
  let from = samples.assumingMemoryBound(to: S.self) + channel
  switch channels {
  case 1: for x in 0..<target.count { target[x] = from[x] }
  case 3: for x in 0..<target.count { target[x] = from[3 * x] }
  default: for x in 0..<target.count { target[x] = from[channels * x] }
  }
  if inverted {
    for x in 0..<target.count { target[x] = ~target[x] }
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

  /// The same for several rows, one after another, as bytes or words as the planes have them.
  func interleave(rows: Range<Int>, into target: UnsafeMutableRawBufferPointer) {
    func fill<S: Sample>(_ samples: UnsafeMutableBufferPointer<S>) {
      let length = self[0].width * count
      for (index, y) in rows.enumerated() {
        interleave(row: y, into: samples.extracting(index * length..<(index + 1) * length))
      }
    }
    if self[0].bits > 8 { fill(target.bindMemory(to: UInt16.self)) } else { fill(target.bindMemory(to: UInt8.self)) }
  }
}
