/// A sample type of planes: `UInt8` for 8 bits, `UInt16` for 9 to 16.
public protocol Sample: FixedWidthInteger, UnsignedInteger, Sendable {}
extension UInt8: Sample {}
extension UInt16: Sample {}

/// One channel of samples, immutable, in rows with a stride.
///
/// Samples of 8 bits are bytes; samples of 9 to 16 significant bits are native-endian 16-bit words in
/// `0...(1 << bits) - 1`. Copies share the samples.
public struct Plane: Sendable {
  /// In samples.
  public let width: Int
  /// In samples.
  public let height: Int
  /// Significant bits of a sample, 8...16.
  public let bits: Int
  /// Bytes from one row to the next.
  public let stride: Int
  /// Shared with other planes of a picture, perhaps.
  let storage: SampleStorage
  /// Bytes before the first sample.
  let offset: Int
  /// Bytes of memory or file that the samples take.
  public let byteCount: Int

  /// 1 for 8 bits, else 2.
  public var bytesPerSample: Int { bits > 8 ? 2 : 1 }
  /// The largest value of a sample.
  public var maximum: Int { (1 << bits) - 1 }

  /// Gives `body` the first sample's address, valid while `body` runs; rows are `stride` bytes apart.
  @inlinable
  public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawPointer) throws(E) -> R) throws(E) -> R {
    try body(base)
  }

  /// Gives `body` row `y` as samples. `S` must be `UInt8` for 8 bits and `UInt16` above.
  @inlinable
  public func withUnsafeRow<S: Sample, R, E: Error>(
    _ y: Int, as type: S.Type, _ body: (UnsafeBufferPointer<S>) throws(E) -> R
  ) throws(E) -> R {
    precondition(MemoryLayout<S>.size == bytesPerSample && (0..<height).contains(y))
    let start = (base + y * stride).assumingMemoryBound(to: S.self)
    return try body(UnsafeBufferPointer(start: start, count: width))
  }

  /// The sample at column `x`, row `y`; for tests and sparse look-ups, not for kernels.
  public subscript(x: Int, y: Int) -> Int {
    precondition((0..<width).contains(x) && (0..<height).contains(y))
    let row = base + y * stride
    return bits > 8
      ? Int(row.load(fromByteOffset: 2 * x, as: UInt16.self)) : Int(row.load(fromByteOffset: x, as: UInt8.self))
  }

  /// A part of the plane, of the same memory.
  /// - Parameter region: within the plane, in its samples.
  package func part(_ region: Region) -> Plane {
    precondition(Region(x: 0, y: 0, width: width, height: height).contains(region) && !region.isEmpty)
    return Plane(
      width: region.width, height: region.height, bits: bits, stride: stride, storage: storage,
      offset: offset + region.y * stride + region.x * bytesPerSample, byteCount: stride * region.height)
  }

  /// Whether the samples wait in a temporary file, since the memory budget had no room for them.
  package var isSpilled: Bool { storage.home == .file }

  /// Lets the memory of samples that nobody needs soon go, and of the planes made with them, when a temporary file
  /// backs them; they come back by themselves when they are read.
  package func discardResidentSamples() {
    storage.discardResidentPages()
  }

  @usableFromInline
  var base: UnsafeRawPointer { UnsafeRawPointer(storage.base) + offset }
}

extension Plane: Equatable {
  /// Same size, same depth, same samples.
  public static func == (a: Plane, b: Plane) -> Bool {
    guard a.width == b.width, a.height == b.height, a.bits == b.bits else { return false }
    let rowBytes = a.width * a.bytesPerSample
    return (0..<a.height).allSatisfy { y in
      UnsafeRawBufferPointer(start: a.base + y * a.stride, count: rowBytes)
        .elementsEqual(UnsafeRawBufferPointer(start: b.base + y * b.stride, count: rowBytes))
    }
  }
}
