import Codecs
import Frames
import SystemPackage

/// What a picture's file says of itself before a sample is decoded.
struct PictureFacts: Sendable, Hashable {
  var format: ImageFormat
  /// As stored.
  var size: Size
  var capture: Capture?
  var exposure: Exposure?
  /// Whether cleanplate made it out of frames.
  var isPlate: Bool

  /// - Returns: nil for what is no file, or one that does not say.
  init?(_ input: Input) {
    let known = Self.firstKnown(of: input) { bytes in
      (try readHeader(bytes, name: input.name), try readMetadata(bytes, name: input.name))
    }
    guard let (header, metadata) = known else { return nil }
    (format, size) = (header.format, header.storedSize)
    (capture, exposure, isPlate) = (metadata.capture, metadata.exposure, metadata.isPlate)
  }

  /// Whether a file is a plate.
  static func isPlate(_ path: FilePath) -> Bool { metadata(of: path)?.isPlate ?? false }

  /// What a file carries beside its samples; nil for what is no picture.
  static func metadata(of path: FilePath) -> Metadata? {
    firstKnown(of: .file(path: path)) { try readMetadata($0, name: path.text) }
  }

  /// JPEG files have their metadata in front: of nearly all of them, and of all but the oddest.
  private static let enoughOfAJPEG = [1 << 17, 1 << 20]

  /// What can be read out of as little of a file as will do; nil where all of it does not.
  private static func firstKnown<Known>(of input: Input, _ read: ([UInt8]) throws -> Known) -> Known? {
    switch input {
    case .frame, .picture: return nil
    case .bytes(let bytes, _): return try? read(bytes)
    case .file(let path):
      for count in enoughOfAJPEG {
        guard let head = try? readHead(path, count: count), let format = ImageFormat.sniff(head) else { return nil }
        if format != .jpeg && head.count == count { break }
        if let known = try? read(head) { return known }
        if head.count < count { return nil }
      }
      return (try? readFile(path)).flatMap { try? read($0) }
    }
  }
}
