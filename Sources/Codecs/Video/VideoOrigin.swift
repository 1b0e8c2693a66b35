/// When and where a video was taken and by which camera, as `ffprobe` tells its container's tags, for the plate's Exif.
struct VideoOrigin: Equatable {
  /// "2024:05:06 07:08:09", and from UTC "+02:00".
  var time: String?
  var offset: String?
  /// Degrees, north and east positive; metres above the sea.
  var latitude: Double?
  var longitude: Double?
  var altitude: Double?
  var make: String?
  var model: String?

  /// - Parameter tags: by name, without `TAG:`.
  init(_ tags: [Substring: Substring]) {
    func first(_ names: String...) -> Substring? { names.lazy.compactMap { tags[$0[...]] }.first }
    // Apple's date is that of the place, with its offset; the container's is UTC.
    if let date = first("com.apple.quicktime.creationdate", "creation_time").flatMap(Self.date) {
      (time, offset) = date
    }
    let place = first("com.apple.quicktime.location.ISO6709", "location", "location-eng").map(Self.place) ?? []
    if place.count >= 2, abs(place[0]) <= 90, abs(place[1]) <= 180 {
      (latitude, longitude) = (place[0], place[1])
      altitude = place.count > 2 && abs(place[2]) < 1e5 ? place[2] : nil
    }
    make = first("com.apple.quicktime.make", "com.android.manufacturer", "make").map(String.init)
    model = first("com.apple.quicktime.model", "com.android.model", "model").map(String.init)
  }

  /// Nil when nothing is known.
  var exif: [UInt8]? {
    var block = ExifBlock()
    if let make { block.picture[0x010F] = .text(make) }
    if let model { block.picture[0x0110] = .text(model) }
    if let time {
      block.picture[0x0132] = .text(time)
      block.exif[0x9003] = .text(time)
      block.exif[0x9004] = .text(time)
      if let offset { for tag in [0x9010, 0x9011, 0x9012] { block.exif[tag] = .text(offset) } }
    }
    if let latitude, let longitude {
      block.gps[1] = .text(latitude < 0 ? "S" : "N")
      block.gps[2] = .rationals(Self.degrees(latitude))
      block.gps[3] = .text(longitude < 0 ? "W" : "E")
      block.gps[4] = .rationals(Self.degrees(longitude))
      if let altitude {
        block.gps[5] = .byte(altitude < 0 ? 1 : 0)
        block.gps[6] = .rationals([(UInt32((abs(altitude) * 100).rounded()), 100 as UInt32)])
      }
    }
    return block.picture.isEmpty && block.exif.isEmpty && block.gps.isEmpty ? nil : block.bytes
  }

  /// Degrees, minutes and seconds.
  private static func degrees(_ value: Double) -> [(UInt32, UInt32)] {
    let parts = Int((abs(value) * 3_600_000).rounded())
    return [(UInt32(parts / 3_600_000), 1), (UInt32(parts / 60_000 % 60), 1), (UInt32(parts % 60_000), 1000)]
  }

  /// ISO 8601 with an offset: 2024-05-06T07:08:09.000000Z, 2024-05-06T09:08:09+0200.
  private static func date(_ text: Substring) -> (String, String?)? {
    let pattern = /(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?/
    // The year that containers write when their clock was never set.
    guard let found = text.wholeMatch(of: pattern)?.output, found.1 != "1904", found.1 != "1970" else { return nil }
    let offset = found.7.map { zone in
      zone == "Z" ? "+00:00" : "\(zone.prefix(3)):\(zone.suffix(2))"
    }
    return ("\(found.1):\(found.2):\(found.3) \(found.4):\(found.5):\(found.6)", offset)
  }

  /// The numbers of ISO 6709: +48.8584+002.2945+035.000/.
  private static func place(_ text: Substring) -> [Double] {
    text.prefix(100).matches(of: /[+-]\d+(?:\.\d+)?/).compactMap { Double($0.output) }
  }
}
