import Frames

/// Finds the tag Orientation (0x0112) in the first directory of an Exif block and nothing else: decoding a
/// picture must not depend on the rest of its metadata being sound.
enum ExifOrientation {
  /// The orientation that `exif` (a TIFF header and its directories) names; `.up` when it names none.
  static func find(in exif: some RandomAccessCollection<UInt8>) -> Orientation {
    guard let entry = locate(in: exif), let orientation = Orientation(rawValue: entry.value) else { return .up }
    return orientation
  }

  /// Where the tag's value lies, from the start of the block, and what it is.
  static func locate(in exif: some RandomAccessCollection<UInt8>) -> (offset: Int, isLittleEndian: Bool, value: Int)? {
    func byte(_ offset: Int) -> Int? {
      guard offset >= 0, offset < exif.count else { return nil }
      return Int(exif[exif.index(exif.startIndex, offsetBy: offset)])
    }
    guard let order = byte(0), order == byte(1), order == 0x49 || order == 0x4D else { return nil }
    let little = order == 0x49
    func short(_ offset: Int) -> Int? {
      guard let a = byte(offset), let b = byte(offset + 1) else { return nil }
      return little ? b << 8 | a : a << 8 | b
    }
    func long(_ offset: Int) -> Int? {
      guard let a = short(offset), let b = short(offset + 2) else { return nil }
      return little ? b << 16 | a : a << 16 | b
    }
    guard short(2) == 42, let directory = long(4), let count = short(directory) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = short(entry) else { return nil }
      guard tag == 0x0112 else { continue }
      // Some writers store it as a long.
      let value = short(entry + 2) == 4 ? long(entry + 8) : short(entry + 8)
      return value.map { (entry + 8, little, $0) }
    }
    return nil
  }
}
