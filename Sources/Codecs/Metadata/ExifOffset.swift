import Frames

extension Metadata {
  /// The Exif block of HEIF and JPEG XL, in which the offset of the TIFF header comes first, counted from its own end
  /// (ISO/IEC 23008-12, A.2.1).
  /// - Returns: nil when nothing is there.
  static func exif(behindOffset block: some Collection<UInt8>) -> [UInt8]? {
    guard block.count > 4 else { return nil }
    let offset = block.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return offset < block.count - 4 ? Array(block.dropFirst(4 + offset)) : nil
  }
}
