import Frames
import SystemPackage

/// The identifier that Apple's phones give a Live Photo's picture and its video, by which the two are told to belong together.
enum AppleIdentifier {
  /// In the maker's note of Exif: tag 0x0011 of directories that begin behind a name, big-endian.
  static func ofPhoto(exif: [UInt8]) -> String? {
    guard let note = ExifDirectories(exif)?.contents(0x927C, in: .exif), note.starts(with: Array("Apple iOS\0".utf8)),
      note.count > 16
    else { return nil }
    func number(_ offset: Int, bytes: Int) -> Int {
      note.dropFirst(offset).prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
    }
    for entry in 0..<number(14, bytes: 2) {
      let at = 16 + 12 * entry
      guard at + 12 <= note.count else { return nil }
      guard number(at, bytes: 2) == 0x0011, number(at + 2, bytes: 2) == 2 else { continue }
      let count = number(at + 4, bytes: 4)
      return text(note.dropFirst(count > 4 ? number(at + 8, bytes: 4) : at + 8).prefix(count))
    }
    return nil
  }

  /// Longer files are no part of a photo.
  private static let longest = 1 << 28

  static func ofVideo(_ path: FilePath) -> String? {
    (try? readFile(path, limit: longest)).flatMap { $0.withUnsafeBufferPointer(ofVideo) }
  }

  /// In the film's metadata: `moov/meta`, or `moov/udta/meta`, whose `ilst` has values by their number in `keys` (QuickTime
  /// File Format Specification, "Metadata").
  static func ofVideo(_ file: UnsafeBufferPointer<UInt8>) -> String? {
    let reader = BoxReader(file)
    let film = reader.first("moov", in: file.indices) ?? 0..<0
    guard let meta = reader.first("meta", in: film) ?? reader.first("meta", in: reader.first("udta", in: film) ?? 0..<0)
    else { return nil }
    // QuickTime's box has no version, that of other files has.
    let lists = reader.first("keys", in: meta) == nil ? meta.dropFirst(4) : meta
    guard let keys = reader.first("keys", in: lists), let values = reader.first("ilst", in: lists) else { return nil }
    var place = 0
    var wanted: Int?
    reader.forEach(in: keys.dropFirst(8)) { type, name in
      place += 1
      if type == "mdta", file[name].elementsEqual("com.apple.quicktime.content.identifier".utf8) { wanted = place }
    }
    var found: String?
    var rest = reader.numbers(in: values)
    while let length = rest.next(bytes: 4), let number = rest.next(bytes: 4), length >= 8 {
      let body = rest.rest.prefix(length - 8)
      if number == wanted, let data = reader.first("data", in: body) { found = text(file[data.dropFirst(8)]) }
      guard rest.skip(length - 8) else { break }
    }
    return found
  }

  private static func text(_ bytes: some Sequence<UInt8>) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
