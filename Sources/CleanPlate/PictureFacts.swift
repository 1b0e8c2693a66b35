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
    guard let bytes = Self.head(of: input), let header = try? readHeader(bytes, name: input.name),
      let metadata = try? readMetadata(bytes, name: input.name)
    else { return nil }
    (format, size) = (header.format, header.storedSize)
    (capture, exposure, isPlate) = (metadata.capture, metadata.exposure, metadata.isPlate)
  }

  /// Whether a file is a plate.
  static func isPlate(_ path: FilePath) -> Bool { metadata(of: path)?.isPlate ?? false }

  /// What a file carries beside its samples; nil for what is no picture.
  static func metadata(of path: FilePath) -> Metadata? {
    head(of: .file(path: path)).flatMap { try? readMetadata($0, name: path.text) }
  }

  /// JPEG files have their metadata in front.
  private static let enoughOfAJPEG = 1 << 20

  private static func head(of input: Input) -> [UInt8]? {
    switch input {
    case .frame, .picture: return nil
    case .bytes(let bytes, _): return bytes
    case .file(let path):
      guard let head = try? readHead(path, count: enoughOfAJPEG), let format = ImageFormat.sniff(head) else {
        return nil
      }
      return format == .jpeg || head.count < enoughOfAJPEG ? head : try? readFile(path)
    }
  }
}
