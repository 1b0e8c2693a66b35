package import Frames

/// When and by which camera a picture was taken, as its Exif block says.
package struct Capture: Sendable, Hashable {
  /// The camera's clock, "2024:05:06 07:08:09".
  package let time: String
  /// The digits behind the decimal point of the seconds; nil when there are none, or only zeros, which cameras write
  /// that do not measure them.
  package let subseconds: String?
  /// Maker, model and serial number, as far as they are known.
  package let camera: String
  /// How far the clock is ahead of universal time, in minutes; nil when it is not told.
  package let offset: Int?

  /// A moment as Exif writes it, `YYYY:MM:DD HH:MM:SS`; digits of a fraction of a second; the camera, by maker and model;
  /// how far its clock is ahead of universal time, in minutes.
  package init(time: String, subseconds: String? = nil, camera: String = "", offset: Int? = nil) {
    (self.time, self.subseconds, self.camera, self.offset) = (time, subseconds, camera, offset)
  }

  /// - Parameter exif: a TIFF header and its directories.
  /// - Returns: nil when no sound time is told.
  package init?(exif: [UInt8]) {
    guard let tags = ExifDirectories(exif) else { return nil }
    // DateTimeOriginal with SubSecTimeOriginal and OffsetTimeOriginal, DateTimeDigitized with its own.
    for (time, fraction, zone) in [(0x9003, 0x9291, 0x9011), (0x9004, 0x9292, 0x9012)] {
      guard let text = tags.text(time, in: .exif), Self.isTime(text) else { continue }
      let digits = tags.text(fraction, in: .exif).map { $0.prefix { $0.isASCII && $0.isNumber } } ?? ""
      self.time = text
      subseconds = digits.contains { $0 != "0" } ? String(digits) : nil
      camera = [tags.text(0x010F), tags.text(0x0110), tags.text(0xA431, in: .exif)].compactMap(\.self)
        .joined(separator: " ")
      offset = tags.text(zone, in: .exif).flatMap(Self.minutes)
      return
    }
    return nil
  }

  /// Whether both name the same moment to a fraction of a second.
  package func isSameMoment(as other: Capture) -> Bool {
    time == other.time && subseconds != nil && fraction == other.fraction
  }

  /// Seconds of the camera's clock since the beginning of 1970, as if it showed universal time; nil for days that no
  /// calendar has.
  package var clockSeconds: Double? {
    let numbers = time.split { $0 == ":" || $0 == " " }.compactMap { Int($0) }
    guard numbers.count == 6, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else { return nil }
    // Days before a date of the Gregorian calendar, with years that begin in March.
    let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
    let month = (numbers[1] + 9) % 12
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 1 - 719_468
    return Double(((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) + fraction
  }

  /// Minutes of an offset such as "+02:00".
  private static func minutes(_ text: String) -> Int? {
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let sign = text.first, sign == "+" || sign == "-", parts.count == 2, parts.allSatisfy({ $0.count == 2 }),
      let hours = UInt8(parts[0]), let minutes = UInt8(parts[1]), hours < 24, minutes < 60
    else { return nil }
    return (sign == "-" ? -1 : 1) * (Int(hours) * 60 + Int(minutes))
  }

  /// Earlier first; subseconds that are unknown come first in their second.
  package func isBefore(_ other: Capture) -> Bool { (time, fraction) < (other.time, other.fraction) }

  private var fraction: Double { subseconds.flatMap { Double("0.\($0)") } ?? 0 }

  private static func isTime(_ text: String) -> Bool {
    let form = Array("dddd:dd:dd dd:dd:dd".utf8)
    guard text.utf8.count == form.count, !text.hasPrefix("0000") else { return false }
    return zip(text.utf8, form).allSatisfy { character, place in
      place == UInt8(ascii: "d") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) : character == place
    }
  }
}

extension Metadata {
  /// When and by which camera the picture was taken.
  package var capture: Capture? { exif.flatMap { Capture(exif: $0) } }

  /// Whether the picture is a plate: cleanplate itself stands in its history (`EncodeOptions.history`).
  package var isPlate: Bool {
    guard let xmp else { return false }
    // The packet is XML; the agent is an attribute or an element.
    return ["=\"", "='", ">"].contains { mark in
      Array("stEvt:softwareAgent\(mark)cleanplate".utf8).isContained(in: xmp)
    }
  }
}

extension [UInt8] {
  /// Whether the bytes occur in others.
  func isContained(in text: some RandomAccessCollection<UInt8>) -> Bool {
    guard let first, text.count >= count else { return false }
    return text.indices.dropLast(count - 1).contains { text[$0] == first && text[$0...].starts(with: self) }
  }
}
