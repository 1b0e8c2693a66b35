/// Memory that becomes a `Plane` once somebody has filled it.
///
/// Several threads may fill it at once as long as they write different rows or columns; nobody may write after
/// `finish()`. The memory is not cleared.
public final class PlaneBuilder: @unchecked Sendable {
  /// In samples.
  public let width: Int
  /// In samples.
  public let height: Int
  /// Significant bits of a sample, 8...16.
  public let bits: Int
  /// Bytes from one row to the next, a multiple of 64.
  public let stride: Int
  private let storage: SampleStorage
  /// Bytes of the storage before the first sample, and from there on.
  private let offset: Int
  private let byteCount: Int

  /// - Parameters:
  ///   - width: in samples, positive.
  ///   - height: in samples, positive.
  ///   - bits: significant bits, 8...16.
  ///   - paddingRows: rows of memory below the last, for decoders that write whole blocks.
  ///   - budget: what bounds the memory; nil always takes memory.
  /// - Precondition: the numbers are in these ranges. Who takes them from elsewhere, such as a camera's stream, checks them before.
  /// - Throws: `AllocationError` when there is no memory for so many.
  public convenience init(
    width: Int, height: Int, bits: Int, paddingRows: Int = 0, budget: MemoryBudget? = nil
  ) throws(AllocationError) {
    let layout = Layout(width: width, height: height, bits: bits, paddingRows: paddingRows)
    self.init(layout, in: try SampleStorage(byteCount: layout.byteCount, budget: budget), offset: 0)
  }

  private init(_ layout: Layout, in storage: SampleStorage, offset: Int) {
    width = layout.width
    height = layout.height
    bits = layout.bits
    stride = layout.stride
    byteCount = layout.byteCount
    self.storage = storage
    self.offset = offset
  }

  /// The planes of one picture, in one piece of memory, which is taken faster than several are and given back when
  /// none of them is in use any more.
  /// - Parameters:
  ///   - sizes: in samples, positive.
  ///   - bits: significant bits, 8...16.
  ///   - paddingRows: rows of memory below each plane's last, for decoders that write whole blocks.
  ///   - budget: what bounds the memory; nil always takes memory.
  /// - Throws: `AllocationError`.
  package static func builders(
    of sizes: [Size], bits: Int, paddingRows: Int = 0, budget: MemoryBudget? = nil
  ) throws(AllocationError) -> [PlaneBuilder] {
    let layouts = sizes.map { Layout(width: $0.width, height: $0.height, bits: bits, paddingRows: paddingRows) }
    let storage = try SampleStorage(byteCount: layouts.reduce(0) { $0 + $1.byteCount }, budget: budget)
    var offset = 0
    return layouts.map { layout in
      defer { offset += layout.byteCount }
      return PlaneBuilder(layout, in: storage, offset: offset)
    }
  }

  private struct Layout {
    let width: Int
    let height: Int
    let bits: Int
    let stride: Int
    let byteCount: Int

    init(width: Int, height: Int, bits: Int, paddingRows: Int) {
      precondition(width > 0 && height > 0, "a plane of \(width) by \(height) samples has none")
      precondition((8...16).contains(bits), "samples have 8 to 16 bits, not \(bits)")
      precondition(paddingRows >= 0, "\(paddingRows) rows of padding")
      self.width = width
      self.height = height
      self.bits = bits
      stride = (width * (bits > 8 ? 2 : 1) + 63) / 64 * 64
      byteCount = stride * (height + paddingRows)
    }
  }

  /// The first sample's address, valid as long as the builder or its plane lives.
  public var base: UnsafeMutableRawPointer { storage.base + offset }

  /// Row `y` as samples, to be written.
  @inlinable
  public func row<S: Sample>(_ y: Int, as type: S.Type) -> UnsafeMutableBufferPointer<S> {
    UnsafeMutableBufferPointer(start: (base + y * stride).assumingMemoryBound(to: S.self), count: width)
  }

  /// Takes over the samples of a plane of the same size and depth.
  package func fill(from plane: Plane) {
    precondition(plane.width == width && plane.height == height && plane.bits == bits)
    plane.withUnsafeBytes { samples in
      for y in 0..<height {
        (base + y * stride).copyMemory(from: samples + y * plane.stride, byteCount: width * plane.bytesPerSample)
      }
    }
  }

  /// Makes all samples 0.
  package func clear() { base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount) }

  /// The plane, of the same memory.
  public func finish() -> Plane {
    Plane(
      width: width, height: height, bits: bits, stride: stride, storage: storage, offset: offset, byteCount: byteCount)
  }
}

extension Plane {
  /// A plane whose sample at (x, y) is `value(x, y)`, clamped to the range of `bits`.
  public init(width: Int, height: Int, bits: Int = 8, value: (Int, Int) -> Int) throws(AllocationError) {
    let builder = try PlaneBuilder(width: width, height: height, bits: bits)
    let maximum = (1 << bits) - 1
    for y in 0..<height {
      if bits > 8 {
        let row = builder.row(y, as: UInt16.self)
        for x in 0..<width { row[x] = UInt16(min(max(value(x, y), 0), maximum)) }
      } else {
        let row = builder.row(y, as: UInt8.self)
        for x in 0..<width { row[x] = UInt8(min(max(value(x, y), 0), maximum)) }
      }
    }
    self = builder.finish()
  }
}
