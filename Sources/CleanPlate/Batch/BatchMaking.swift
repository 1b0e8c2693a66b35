import Codecs
import SystemPackage

/// How a batch makes plates of what it finds.
struct BatchMaking: Sendable {
  private let bursts: Options
  /// Of photos with a video; nil leaves them alone.
  private let motion: Options?

  init(_ bursts: Options, motion: Options?) { (self.bursts, self.motion) = (bursts, motion) }

  /// Nil for what no plate is made of.
  func options(for group: PictureGroup) -> Options? {
    switch group.kind {
    case .burst: bursts
    case .motion: motion
    default: nil
    }
  }
}

extension PictureGroup {
  /// Frames of a video at most.
  private static let videoFrames = 20

  private var motionPhoto: MotionPhoto? { kind == .motion ? try? MotionPhoto(first.absolute) : nil }

  /// All that a plate is made of.
  var filesToRead: [FilePath] { motionPhoto?.files ?? files.map(\.absolute) }

  /// - Parameter memory: bytes that decoded planes of a video may hold in memory.
  /// - Throws: `CodecError`.
  func inputs(memory: Int?, onEvent: (Event) -> Void) throws -> [Input] {
    if let motionPhoto {
      return try motionPhoto.inputs(choice: FrameChoice(maximum: Self.videoFrames), memory: memory, onEvent: onEvent)
    }
    return files.map { .file(path: $0.absolute) }
  }
}
