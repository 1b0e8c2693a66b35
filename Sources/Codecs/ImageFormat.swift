/// The picture formats that can be read; all but `raw` can be written.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, png, tiff, webp, heif, avif, jpegXL, raw

  /// Whether pictures that are transparent in places can be written.
  public var holdsAlpha: Bool { [.png, .tiff, .webp].contains(self) }

  /// Bits of a sample that can be written, ascending.
  public var depths: [Int] {
    switch self {
    case .jpeg, .webp, .raw: [8]
    case .png, .tiff, .jpegXL: [8, 16]
    case .heif: [8, 10, 12]
    // libheif 1.15 hands 10-bit pictures to aom under a profile that has no such depth, and aom aborts.
    case .avif: [8, 12]
    }
  }

  /// Bytes of a file's head that suffice for `sniff`.
  public static let headLength = 64

  /// The format that a file's first bytes show, whatever its name; nil when none that is known.
  ///
  /// RAW files that are TIFF inside (DNG, NEF, ARW, CR2, ...) come out as `raw` only when their head says so
  /// plainly; the TIFF decoder hands the others over once it has read their directory.
  public static func sniff(_ bytes: [UInt8]) -> ImageFormat? {
    func has(_ magic: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + magic.count && bytes[offset..<offset + magic.count].elementsEqual(magic)
    }
    func has(_ text: String, at offset: Int = 0) -> Bool { has(Array(text.utf8), at: offset) }

    if has([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if has("RIFF"), has("WEBP", at: 8) { return .webp }
    if has([0xFF, 0x0A]) || has([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) { return .jpegXL }
    if has("FUJIFILMCCD-RAW") || has("FOVb") || has("\0MRM") { return .raw }
    if has([0x49, 0x49, 0x55, 0]) || has("IIRO") || has("IIRS") || has("MMOR") { return .raw }
    if has([0x49, 0x49, 0x2A, 0]), has("CR", at: 8) { return .raw }
    if has([0x49, 0x49, 0x1A, 0]), has("HEAPCCDR", at: 6) { return .raw }
    if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) { return .tiff }
    if has([0x49, 0x49, 0x2B, 0]) || has([0x4D, 0x4D, 0, 0x2B]) { return .tiff }
    if has("ftyp", at: 4) { return brand(bytes) }
    return nil
  }

  /// The format that the brands of an ISO base media file name; video brands give nil.
  private static func brand(_ bytes: [UInt8]) -> ImageFormat? {
    let length = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
    let end = min(bytes.count, max(length, 12))
    // The major brand, then (after the version) the compatible ones.
    for start in [8] + stride(from: 16, through: end - 4, by: 4) where start + 4 <= end {
      switch String(decoding: bytes[start..<start + 4], as: UTF8.self) {
      case "avif", "avis": return .avif
      case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs": return .heif
      case "crx ": return .raw
      case "mif1", "msf1": continue
      default: if start == 8 { return nil }
      }
    }
    return bytes.count >= 12 && bytes[8] == 0x6D ? .heif : nil
  }

  /// The format to write for a name's suffix (without the dot, in any case); nil when it names none.
  public static func forSuffix(_ suffix: String) -> ImageFormat? {
    switch suffix.lowercased() {
    case "jpg", "jpeg", "jpe", "jfif": .jpeg
    case "png": .png
    case "tif", "tiff": .tiff
    case "webp": .webp
    case "heic", "heif", "hif": .heif
    case "avif": .avif
    case "jxl": .jpegXL
    case "dng", "cr2", "cr3", "crw", "nef", "nrw", "arw", "srf", "sr2", "rw2", "orf", "raf", "pef", "srw", "raw", "3fr",
      "iiq", "x3f", "kdc", "dcr", "mrw", "rwl":
      .raw
    default: nil
    }
  }
}
