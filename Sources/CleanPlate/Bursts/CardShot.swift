import Codecs
import Foundation
import Frames
import SystemPackage

/// A shot on a card: one picture, or a RAW file with its JPEG, or copies of one.
struct CardShot: Sendable {
  /// The best first.
  let files: [FilePath]
  /// The file that is looked at: the one that takes the least to decode.
  let seen: FilePath
  /// As it is shown.
  let size: Size
  let camera: String
  /// Seconds since the beginning of 1970: of the camera's clock, or else of the file.
  let moment: Double
  /// How far that clock is ahead of universal time, in seconds; nil when it is not told.
  let offset: Double?
  /// Whether the camera told the moment.
  let isTimed: Bool
  let stops: Double?
  /// What stands before the number in the name that the camera gave, and the number.
  let series: Series?

  struct Series: Sendable, Hashable {
    let folder: FilePath
    let start: String
    let number: Int
  }

  /// - Parameter group: places among the files, the best first.
  init?(_ group: [Int], files: [FilePath], facts: [PictureFacts?]) {
    let known = group.compactMap { index in facts[index].map { (path: files[index], facts: $0) } }
    guard let seen = known.min(by: { $0.facts.format.decodingEffort < $1.facts.format.decodingEffort }) else {
      return nil
    }
    self.files = group.map { files[$0] }
    self.seen = seen.path
    size = seen.facts.size
    let capture = known.lazy.compactMap(\.facts.capture).first
    camera = capture?.camera ?? ""
    offset = capture?.offset.map { 60 * Double($0) }
    let clock = capture?.clockSeconds
    isTimed = clock != nil
    guard let moment = clock ?? (try? FileStamp(seen.path).writtenSeconds) else { return nil }
    self.moment = moment
    stops = known.lazy.compactMap(\.facts.exposure?.stops).first
    series = Series(seen.path)
  }
}

extension CardShot.Series {
  /// - Returns: nil for a name that does not end in a number.
  init?(_ path: FilePath) {
    let stem = path.nameWithoutSuffix
    let digits = String(stem.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
    guard let number = Int(digits) else { return nil }
    (folder, start, self.number) = (path.removingLastComponent(), String(stem.dropLast(digits.count)), number)
  }

  /// Whether a camera would give this name after another.
  func follows(_ other: Self) -> Bool { folder == other.folder && start == other.start && number - 1 == other.number }
}

extension ImageFormat {
  /// Lower for what is decoded more quickly.
  fileprivate var decodingEffort: Int {
    switch self {
    case .jpeg: 0
    case .webp, .png: 1
    case .tiff: 2
    case .heif, .avif, .jpegXL: 3
    case .raw: 4
    }
  }
}

extension FilePath {
  /// The last part as text that stands for all its bytes, without its suffix.
  var nameWithoutSuffix: String {
    let name = lastComponent.map { FilePath(root: nil, [$0]).text } ?? ""
    return name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? String(name[..<$0]) : nil } ?? name
  }
}
