/// Chunks of a PNG file (ISO/IEC 15948, 5.3).
public enum PNGChunk {
  public static func make(_ type: String, _ contents: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + contents
    return long(UInt32(contents.count)) + body + checksum(body)
  }

  /// A zlib stream (RFC 1950) of blocks that are not compressed.
  public static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: max(bytes.count, 1), by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let length = UInt16(block.count)
      stream.append(start + 65_535 >= bytes.count ? 1 : 0)
      stream += [length, ~length].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + block
    }
    return stream + long(adler(bytes))
  }

  /// A zlib stream that inflates to as many zeros, written once with fixed codes (RFC 1951, 3.2.6): a literal, then
  /// matches of 258 at distance 1.
  public static func deflatedZeros(_ count: Int) -> [UInt8] {
    var (stream, bits, filled): ([UInt8], UInt32, Int) = ([0x78, 0x01], 0, 0)
    func put(_ value: UInt32, _ length: Int) {
      bits |= value << UInt32(filled)
      filled += length
      while filled >= 8 {
        stream.append(UInt8(truncatingIfNeeded: bits))
        (bits, filled) = (bits >> 8, filled - 8)
      }
    }
    put(0b011, 3)
    let matches = (count - 1) / 258
    let literals = count - 258 * matches
    // Code 00110000 is a zero, 11000101 the length 258, 00000 the distance 1; codes begin with their highest bit.
    for _ in 0..<literals { put(0b0000_1100, 8) }
    for _ in 0..<matches {
      put(0b1010_0011, 8)
      put(0, 5)
    }
    put(0, 7)
    put(0, (8 - filled) % 8)
    return stream + long((UInt32(count) % 65_521) << 16 | 1)
  }

  private static func adler(_ bytes: [UInt8]) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return b << 16 | a
  }

  /// CRC-32.
  public static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var value: UInt32 = 0xFFFF_FFFF
    for byte in bytes { value = value >> 8 ^ table[Int((value ^ UInt32(byte)) & 0xFF)] }
    return long(~value)
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  private static func long(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }
}
