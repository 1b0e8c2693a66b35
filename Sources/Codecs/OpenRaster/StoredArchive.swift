import CZlib

/// A ZIP archive whose files are stored as they are (PKWARE's APPNOTE.TXT 6.3.10): pictures are compressed already. It
/// carries no time, so that equal files make equal bytes.
struct StoredArchive {
  private var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  /// Adds a file.
  /// - Parameter name: ASCII, with `/` between folders.
  /// - Throws: `CodecError.archiveTooLarge` when the archive would have 4 GiB or 65,536 files: 32-bit ZIP ends there.
  mutating func add(_ contents: [UInt8], as name: String) throws(CodecError) {
    guard bytes.count + directory.count + contents.count + 1024 < Int(UInt32.max), count < Int(UInt16.max) else {
      throw .archiveTooLarge(bytes: bytes.count + contents.count)
    }
    let start = bytes.count
    var facts: [UInt8] = []
    // Made for version 1.0; no flags; stored; 1 January 1980.
    for value in [10, 0, 0, 0, 0x21] as [UInt16] { facts.append(littleEndian: value) }
    facts.append(littleEndian: UInt32(crc32(0, contents, uInt(contents.count))))
    facts.append(littleEndian: UInt32(contents.count))
    facts.append(littleEndian: UInt32(contents.count))
    facts.append(littleEndian: UInt16(name.utf8.count))
    facts.append(littleEndian: UInt16(0))
    bytes += [0x50, 0x4B, 3, 4] + facts + Array(name.utf8) + contents

    directory += [0x50, 0x4B, 1, 2, 10, 0] + facts
    // No comment; the first disk; no attributes.
    for value in [0, 0, 0] as [UInt16] { directory.append(littleEndian: value) }
    directory.append(littleEndian: UInt32(0))
    directory.append(littleEndian: UInt32(start))
    directory += Array(name.utf8)
    count += 1
  }

  /// The whole archive.
  func finished() -> [UInt8] {
    var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    end.append(littleEndian: UInt16(count))
    end.append(littleEndian: UInt16(count))
    end.append(littleEndian: UInt32(directory.count))
    end.append(littleEndian: UInt32(bytes.count))
    end.append(littleEndian: UInt16(0))
    return bytes + directory + end
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
