import Frames

/// The marker segments of a JPEG file up to its first scan (ITU-T T.81, annex B): what TurboJPEG does not
/// tell, or tells only after it has allocated.
struct JPEGMarkers {
  /// The low nibble of the start-of-frame marker: 0 baseline, 1 extended, 2 progressive, 3 lossless, ...
  private(set) var process = 0
  private(set) var size = Size(width: 0, height: 0)
  /// Where the height stands in the file, in two bytes.
  private(set) var heightPosition = 0
  private(set) var precision = 0
  private(set) var componentCount = 0
  private(set) var exif: Range<Int>?
  private(set) var xmp: Range<Int>?
  private(set) var photoshop: Range<Int>?
  /// Whether a gain map by ISO 21496-1 follows the picture.
  private(set) var hasGainMap = false
  private var profileParts: [(number: UInt8, count: UInt8, bytes: Range<Int>)] = []

  /// - Throws: `CodecError.damaged` when no frame header is found.
  init(_ source: Source) throws(CodecError) {
    let bytes = source.bytes
    var position = 2
    while true {
      while position < bytes.count, bytes[position] != 0xFF { position += 1 }
      while position < bytes.count, bytes[position] == 0xFF { position += 1 }
      guard position < bytes.count else { throw source.damaged("it ends before the first scan") }
      let marker = bytes[position]
      position += 1
      switch marker {
      case 0x00, 0x01, 0xD0...0xD8: continue
      case 0xD9: throw source.damaged("it holds no picture")
      default: break
      }
      guard position + 2 <= bytes.count else { throw source.damaged("it ends before the first scan") }
      let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
      guard length >= 2, position + length <= bytes.count else {
        throw source.damaged("a segment runs past the end of the file")
      }
      let segment = position + 2..<position + length
      position += length
      if marker == 0xDA {
        guard componentCount > 0 else { throw source.damaged("a scan comes before the frame header") }
        return
      }
      take(marker, bytes, segment)
    }
  }

  /// The ICC profile, put together from its numbered parts; nil when there is none or a part is missing.
  func iccProfile(_ source: Source) throws(CodecError) -> [UInt8]? {
    guard let count = profileParts.first?.count else { return nil }
    let parts = profileParts.sorted { $0.number < $1.number }
    guard parts.count == Int(count), parts.enumerated().allSatisfy({ Int($1.number) == $0 + 1 && $1.count == count })
    else { return nil }
    let total = parts.reduce(0) { $0 + $1.bytes.count }
    try source.checkProfile(byteCount: total)
    return parts.flatMap { source.bytes[$0.bytes] }
  }

  private mutating func take(_ marker: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ segment: Range<Int>) {
    switch marker {
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: takeFrame(marker, bytes, segment)
    case 0xE1 where exif == nil && starts(bytes, segment, JPEGMarkers.exifName):
      exif = segment.dropFirst(JPEGMarkers.exifName.utf8.count)
    case 0xE1 where xmp == nil && starts(bytes, segment, JPEGMarkers.xmpName):
      xmp = segment.dropFirst(JPEGMarkers.xmpName.utf8.count)
    case 0xE2 where starts(bytes, segment, JPEGMarkers.profileName) && segment.count > 14:
      let start = segment.lowerBound
      profileParts.append((bytes[start + 12], bytes[start + 13], segment.dropFirst(14)))
    case 0xE2 where starts(bytes, segment, "urn:iso:std:iso:ts:21496:-1\0"): hasGainMap = true
    case 0xED where photoshop == nil && starts(bytes, segment, "Photoshop 3.0\0"): photoshop = segment.dropFirst(14)
    default: break
    }
  }

  private mutating func takeFrame(_ marker: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ segment: Range<Int>) {
    guard componentCount == 0, segment.count >= 6 else { return }
    let start = segment.lowerBound
    let count = Int(bytes[start + 5])
    guard segment.count >= 6 + 3 * count else { return }
    process = Int(marker & 0x0F)
    precision = Int(bytes[start])
    heightPosition = start + 1
    size = Size(
      width: Int(bytes[start + 3]) << 8 | Int(bytes[start + 4]),
      height: Int(bytes[start + 1]) << 8 | Int(bytes[start + 2]))
    componentCount = count
  }

  private func starts(_ bytes: UnsafeBufferPointer<UInt8>, _ segment: Range<Int>, _ text: String) -> Bool {
    bytes[segment].starts(with: text.utf8)
  }

  static let exifName = "Exif\0\0"
  static let xmpName = "http://ns.adobe.com/xap/1.0/\0"
  static let profileName = "ICC_PROFILE\0"
}

/// The resource blocks of a Photoshop segment: IPTC records live in number 0x0404.
enum PhotoshopResources {
  static let iptcIdentifier = 0x0404

  static func iptc(in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    var rest = bytes
    while rest.count >= 12, rest.starts(with: "8BIM".utf8) {
      let start = rest.startIndex
      let identifier = Int(rest[start + 4]) << 8 | Int(rest[start + 5])
      // A Pascal string padded to an even length.
      let name = (Int(rest[start + 6]) + 2) / 2 * 2
      guard rest.count >= 6 + name + 4 else { return nil }
      let at = start + 6 + name
      let length = rest[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 6 + name + 4 + length else { return nil }
      if identifier == iptcIdentifier { return Array(rest[at + 4..<at + 4 + length]) }
      rest = rest.dropFirst(6 + name + 4 + (length + 1) / 2 * 2)
    }
    return nil
  }
}
