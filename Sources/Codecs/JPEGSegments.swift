import Frames

/// Puts metadata into a JPEG stream as marker segments.
enum JPEGSegments {
  /// `body` with the profile of `metadata` after its first segment.
  static func insert(_ metadata: Metadata, into body: [UInt8]) -> [UInt8] {
    guard let profile = metadata.iccProfile, let segments = profileSegments(profile), body.count > 20 else {
      return body
    }
    // After SOI and the JFIF segment, which must come first.
    let at = body[2] == 0xFF && body[3] == 0xE0 ? 4 + (Int(body[4]) << 8 | Int(body[5])) : 2
    var result: [UInt8] = []
    result.reserveCapacity(body.count + segments.count)
    result += body[..<at]
    result += segments
    result += body[at...]
    return result
  }

  /// The numbered parts of a profile (ICC.1, annex B.4); nil when it does not fit into 255 of them.
  private static func profileSegments(_ profile: [UInt8]) -> [UInt8]? {
    let capacity = 65_519
    let count = (profile.count + capacity - 1) / capacity
    guard (1...255).contains(count) else { return nil }
    var result: [UInt8] = []
    for number in 0..<count {
      let part = profile[number * capacity..<min((number + 1) * capacity, profile.count)]
      let length = part.count + 16
      result += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
      result += Array(JPEGMarkers.profileName.utf8) + [UInt8(number + 1), UInt8(count)]
      result += part
    }
    return result
  }
}
