import Codecs
import Frames
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
  static let videoFrames = 20

  /// - Throws: `MotionPhotoError`, `CodecError`, `FileError`.
  init(_ group: PictureGroup) throws {
    photo = group.kind == .motion ? try MotionPhoto(group.first.absolute) : nil
    files = photo?.files ?? group.files.map(\.absolute)
  }

  /// - Parameter budget: bounds the memory of a video's frames.
  /// - Throws: `CodecError`.
  func inputs(budget: MemoryBudget?, onEvent: (Event) -> Void) throws -> [Input] {
    if let photo {
      return try photo.inputs(FrameChoice(maximum: Self.videoFrames), DecodeOptions(budget: budget), onEvent)
    }
    return files.map { .file(path: $0) }
  }
}
