import Frames

/// Metadata as marker segments of a JPEG file.
enum JPEGSegments {
  /// Bytes that a segment holds behind its marker and its own length.
  private static let longestPayload = 0xFFFF - 2
  /// Bytes that segments of Exif and of XMP hold, behind the longer one's name.
  static let longestBlock = longestPayload - JPEGMarkers.xmpName.utf8.count

  /// The blocks of `metadata`. Those that no segment can hold are left out.
  static func segments(of metadata: Metadata) -> [UInt8] {
    var segments: [UInt8] = []
    if let exif = metadata.exif { segments += segment(0xE1, Array(JPEGMarkers.exifName.utf8) + exif) }
    if let xmp = metadata.xmp { segments += segment(0xE1, Array(JPEGMarkers.xmpName.utf8) + xmp) }
    if let iptc = metadata.iptc { segments += segment(0xED, photoshop(iptc)) }
    if let profile = metadata.iccProfile { segments += profileSegments(profile) }
    return segments
  }

  private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    guard payload.count <= longestPayload else { return [] }
    let length = payload.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
  }

  /// The numbered parts of a profile (ICC.1, annex B.4); none when it does not fit into 255 of them.
  private static func profileSegments(_ profile: [UInt8]) -> [UInt8] {
    let capacity = 65_519
    let count = (profile.count + capacity - 1) / capacity
    guard (1...255).contains(count) else { return [] }
    return (0..<count).flatMap { number in
      let part = profile[number * capacity..<min((number + 1) * capacity, profile.count)]
      return segment(0xE2, Array(JPEGMarkers.profileName.utf8) + [UInt8(number + 1), UInt8(count)] + part)
    }
  }

  /// IPTC records as the one resource of a Photoshop segment.
  private static func photoshop(_ iptc: [UInt8]) -> [UInt8] {
    let identifier = PhotoshopResources.iptcIdentifier
    let length = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: iptc.count >> $0) }
    let head =
      Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [UInt8(identifier >> 8), UInt8(identifier & 0xFF), 0, 0]
    return head + length + iptc + (iptc.count % 2 == 1 ? [0] : [])
  }
}
