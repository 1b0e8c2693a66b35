import Codecs
import SystemPackage

/// How a batch makes plates of what it finds.
struct BatchMaking: Sendable {
  private let bursts: Options
  /// Of photos with a video; nil leaves them alone.
  private let motion: Options?

  init(_ bursts: Options, motion: Options?) { (self.bursts, self.motion) = (bursts, motion) }

  /// Whether plates are made of such pictures.
  func takes(_ group: PictureGroup) -> Bool { group.kind == .burst || (group.kind == .motion && motion != nil) }

  func options(for group: PictureGroup) -> Options { group.kind == .motion ? motion ?? bursts : bursts }
}

/// What a plate of a batch is made of.
struct BatchSource: Sendable {
  /// All files that are read.
  let files: [FilePath]
  private let photo: MotionPhoto?

  /// Frames of a video at most.
  private static let videoFrames = 20

  /// - Throws: `MotionPhotoError`, `CodecError`, `FileError`.
  init(_ group: PictureGroup) throws {
    photo = group.kind == .motion ? try MotionPhoto(group.first.absolute) : nil
    files = photo?.files ?? group.files.map(\.absolute)
  }

  /// - Parameter memory: bytes that decoded planes of a video may hold in memory.
  /// - Throws: `CodecError`.
  func inputs(memory: Int?, onEvent: (Event) -> Void) throws -> [Input] {
    if let photo {
      return try photo.inputs(choice: FrameChoice(maximum: Self.videoFrames), memory: memory, onEvent: onEvent)
    }
    return files.map { .file(path: $0) }
  }
}
