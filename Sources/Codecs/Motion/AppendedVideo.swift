import Frames
import SystemPackage

/// A video in the file of a photo: behind the picture in a JPEG, or in a box of its own in HEIC.
enum AppendedVideo {
  /// - Parameter xmp: what the photo says of itself.
  /// - Returns: the video's bytes, up to where its boxes end.
  static func find(in file: UnsafeBufferPointer<UInt8>, xmp: [UInt8]?) -> Range<Int>? {
    let told = AppendedMedia.distances(in: xmp).map { file.count - $0 }
    if let found = told.lazy.compactMap({ video(from: $0, in: file) }).first { return found }
    let reader = BoxReader(file)
    let box =
      ImageFormat.sniff(Array(file.prefix(ImageFormat.headLength))) == .jpeg
      ? nil : reader.first("mpvd", in: file.indices)
    return box.flatMap { video(from: $0.lowerBound, in: file) } ?? SamsungTrailer.video(in: file)
  }

  /// The boxes from a place on, when they are those of a video (ISO/IEC 14496-12).
  static func video(from start: Int, in file: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard start > 0, start < file.count,
      VideoFormat.sniff(Array(file[start...].prefix(ImageFormat.headLength))) == .mov
    else { return nil }
    var end = start
    var (hasFilm, isOver) = (false, false)
    BoxReader(file).forEach(in: start..<file.count) { type, body in
      // What follows the video need not be boxes.
      isOver = isOver || !type.utf8.allSatisfy { (0x20...0x7E).contains($0) }
      guard !isOver else { return }
      hasFilm = hasFilm || type == "moov"
      end = body.upperBound
    }
    return hasFilm ? start..<end : nil
  }
}

/// What a photo's XMP says of media behind its picture: Google's Motion Photo format 1.0, and the Micro Video before it
/// (developer.android.com/media/platform/motion-photo-format).
enum AppendedMedia {
  /// Longer packets are not looked through.
  private static let longest = 1 << 20

  /// Whether it speaks of a video.
  static func areTold(by xmp: [UInt8]?) -> Bool {
    guard let xmp = xmp?.prefix(longest) else { return false }
    return ["MicroVideo", "MotionPhoto"].contains { Array($0.utf8).isContained(in: xmp) }
  }

  /// How many bytes before the file's end a video may begin.
  static func distances(in xmp: [UInt8]?) -> [Int] {
    guard let xmp, areTold(by: xmp) else { return [] }
    let text = String(decoding: xmp.prefix(longest), as: UTF8.self)
    return [number("MicroVideoOffset", in: text), distanceOfItem(in: text)].compactMap(\.self).filter { $0 > 0 }
  }

  /// Items follow the picture one after another in the order of the directory.
  private static func distanceOfItem(in text: String) -> Int? {
    let items = text.split(separator: "<rdf:li").dropFirst()
    guard let first = items.firstIndex(where: { value("Semantic", in: $0) == "MotionPhoto" }) else { return nil }
    return items[first...].reduce(0) { $0 &+ (number("Length", in: $1) ?? 0) }
  }

  private static func number(_ name: String, in text: some StringProtocol) -> Int? {
    value(name, in: text).flatMap { $0.utf8.count <= 12 ? Int($0) : nil }
  }

  /// An attribute's or an element's.
  private static func value(_ name: String, in text: some StringProtocol) -> Substring? {
    guard let place = text.range(of: ":\(name)") else { return nil }
    let rest = Substring(text[place.upperBound...].prefix(100)).drop { $0.isWhitespace }
    let contents: Substring
    switch rest.first {
    case ">": contents = rest.dropFirst()
    case "=": contents = rest.dropFirst().drop { $0.isWhitespace }.dropFirst()
    default: return nil
    }
    return contents.drop { $0.isWhitespace }.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }
}

/// What Samsung's phones append to photos: blocks, one of which is a video behind the word `MotionPhoto_Data`.
enum SamsungTrailer {
  private static let mark = Array("MotionPhoto_Data".utf8)
  private static let end = Array("SEFT".utf8)

  static func video(in file: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    var rest = file[...]
    while let place = rest.firstIndex(of: mark[0]) {
      if rest[place...].starts(with: mark), let video = AppendedVideo.video(from: place + mark.count, in: file) {
        return video
      }
      rest = rest[(place + 1)...]
    }
    return nil
  }

  /// Whether a file has such blocks.
  static func ends(_ path: FilePath) -> Bool { (try? readTail(path, count: end.count)) == end }
}

extension HEIFItems {
  /// Whether a file is HEIF and holds a box for a video.
  static func mayHoldVideo(_ path: FilePath) -> Bool {
    guard let head = try? readHead(path), [.heif, .avif].contains(ImageFormat.sniff(head)),
      let bytes = try? readFile(path)
    else { return false }
    return bytes.withUnsafeBufferPointer { BoxReader($0).first("mpvd", in: $0.indices) != nil }
  }
}
