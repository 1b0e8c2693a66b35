/// Single tags of an Exif block (a TIFF header and its directories), found without trusting the rest of it.
struct ExifDirectories<Bytes: RandomAccessCollection<UInt8>> {
  /// Where a tag may stand.
  enum Directory {
    /// The first, of the picture.
    case picture
    /// The one of Exif itself, to which tag 0x8769 of the first points.
    case exif
  }

  /// A tag's twelve bytes.
  struct Entry {
    let type: Int
    let count: Int
    /// From the start of the block; the value, or where it lies when it is longer than four bytes.
    let valueOffset: Int
  }

  let isLittleEndian: Bool
  private let bytes: Bytes

  /// - Returns: nil when there is no TIFF header.
  init?(_ bytes: Bytes) {
    self.bytes = bytes
    guard bytes.count >= 8 else { return nil }
    let order = bytes[bytes.startIndex]
    guard order == bytes[bytes.index(after: bytes.startIndex)], order == 0x49 || order == 0x4D else { return nil }
    isLittleEndian = order == 0x49
    guard short(2) == 42 else { return nil }
  }

  func entry(_ tag: Int, in directory: Directory = .picture) -> Entry? {
    guard let start = offset(of: directory), let count = short(start) else { return nil }
    for index in 0..<count {
      let at = start + 2 + 12 * index
      guard let found = short(at) else { return nil }
      guard found == tag, let type = short(at + 2), let count = long(at + 4) else { continue }
      return Entry(type: type, count: count, valueOffset: at + 8)
    }
    return nil
  }

  /// An unsigned number of 16 or 32 bits.
  func number(_ entry: Entry) -> Int? { entry.type == 4 ? long(entry.valueOffset) : short(entry.valueOffset) }

  /// The text of a tag up to its end, without spaces around it; nil when there is none or it is longer than 200 bytes.
  func text(_ tag: Int, in directory: Directory = .picture) -> String? {
    guard let entry = entry(tag, in: directory), entry.type == 2, (1...200).contains(entry.count) else { return nil }
    let start = entry.count > 4 ? long(entry.valueOffset) : entry.valueOffset
    guard let start, start <= bytes.count - entry.count else { return nil }
    let characters = bytes.dropFirst(start).prefix(entry.count).prefix { $0 != 0 }
    let text = String(decoding: characters, as: UTF8.self)
    let trimmed = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    return trimmed.isEmpty ? nil : String(trimmed)
  }

  /// The bytes of a tag that has no type of its own, such as a maker's note; nil when there is none.
  func contents(_ tag: Int, in directory: Directory) -> [UInt8]? {
    guard let entry = entry(tag, in: directory), entry.type == 7, entry.count > 4, let start = long(entry.valueOffset),
      entry.count <= bytes.count, start <= bytes.count - entry.count
    else { return nil }
    return Array(bytes.dropFirst(start).prefix(entry.count))
  }

  /// The quotient of a rational number, signed or not; nil for none, and for one over zero.
  func quotient(_ tag: Int, in directory: Directory) -> Double? {
    guard let entry = entry(tag, in: directory), entry.type == 5 || entry.type == 10, entry.count == 1,
      let start = long(entry.valueOffset), let above = long(start), let below = long(start + 4), below != 0
    else { return nil }
    guard entry.type == 10 else { return Double(above) / Double(below) }
    return Double(Int32(truncatingIfNeeded: above)) / Double(Int32(truncatingIfNeeded: below))
  }

  private func offset(of directory: Directory) -> Int? {
    switch directory {
    case .picture: long(4)
    case .exif: entry(0x8769).flatMap { long($0.valueOffset) }
    }
  }

  private func byte(_ offset: Int) -> Int? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return Int(bytes[bytes.index(bytes.startIndex, offsetBy: offset)])
  }

  private func short(_ offset: Int) -> Int? {
    guard let a = byte(offset), let b = byte(offset + 1) else { return nil }
    return isLittleEndian ? b << 8 | a : a << 8 | b
  }

  private func long(_ offset: Int) -> Int? {
    guard let a = short(offset), let b = short(offset + 2) else { return nil }
    return isLittleEndian ? b << 16 | a : a << 16 | b
  }
}
