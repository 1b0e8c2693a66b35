public import Frames

/// When and by which camera a picture was taken, as its Exif block says.
public struct Capture: Sendable, Hashable {
  /// The camera's clock, "2024:05:06 07:08:09".
  public let time: String
  /// The digits behind the decimal point of the seconds; nil when there are none, or only zeros, which cameras write
  /// that do not measure them.
  public let subseconds: String?
  /// Maker, model and serial number, as far as they are known.
  public let camera: String

  /// A moment as Exif writes it, `YYYY:MM:DD HH:MM:SS`; digits of a fraction of a second; the camera, by maker and model.
  public init(time: String, subseconds: String? = nil, camera: String = "") {
    (self.time, self.subseconds, self.camera) = (time, subseconds, camera)
  }

  /// - Parameter exif: a TIFF header and its directories.
  /// - Returns: nil when no sound time is told.
  public init?(exif: [UInt8]) {
    guard let tags = ExifDirectories(exif) else { return nil }
    // DateTimeOriginal with SubSecTimeOriginal, DateTimeDigitized with SubSecTimeDigitized.
    for (time, fraction) in [(0x9003, 0x9291), (0x9004, 0x9292)] {
      guard let text = tags.text(time, in: .exif), Self.isTime(text) else { continue }
      let digits = tags.text(fraction, in: .exif).map { $0.prefix { $0.isASCII && $0.isNumber } } ?? ""
      self.time = text
      subseconds = digits.contains { $0 != "0" } ? String(digits) : nil
      camera = [tags.text(0x010F), tags.text(0x0110), tags.text(0xA431, in: .exif)].compactMap(\.self)
        .joined(separator: " ")
      return
    }
    return nil
  }

  /// Whether both name the same moment to a fraction of a second.
  public func isSameMoment(as other: Capture) -> Bool {
    time == other.time && subseconds != nil && fraction == other.fraction
  }

  /// Earlier first; subseconds that are unknown come first in their second.
  public func isBefore(_ other: Capture) -> Bool { (time, fraction) < (other.time, other.fraction) }

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
  public var capture: Capture? { exif.flatMap { Capture(exif: $0) } }

  /// Whether the picture is a plate: cleanplate itself stands in its history (`EncodeOptions.history`).
  public var isPlate: Bool {
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
