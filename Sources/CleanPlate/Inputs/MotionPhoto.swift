public import Codecs
import Foundation
import Frames
public import SystemPackage

/// A photo and the video that a phone stored with it: a burst of its own.
///
/// ```swift
/// let photo = try MotionPhoto(path)
/// let inputs = try photo.inputs(choice: FrameChoice(maximum: 20))
/// let result = try await makePlate(from: inputs, options: Options(motion: true))
/// ```
public struct MotionPhoto: Sendable, Hashable {
  /// The photo's file.
  public let path: FilePath
  /// Where the video is.
  let video: MotionVideo

  /// - Parameter path: the photo's file: a Motion Photo (JPEG or HEIC with a video in it), or a Live Photo's picture, whose
  ///   video lies beside it.
  /// - Throws: `MotionPhotoError` when it has no video; `CodecError`, `FileError`.
  public init(_ path: FilePath) throws {
    let bytes = try readFile(path)
    guard let video = MotionVideo(of: path, bytes, metadata: try readMetadata(bytes, name: path.text)) else {
      throw MotionPhotoError(photo: path, stranger: MotionVideo.files(beside: path).first)
    }
    (self.path, self.video) = (path, video)
  }

  /// All that is read.
  public var files: [FilePath] {
    if case .beside(let video) = video { [path, video] } else { [path] }
  }

  /// The photo, and then frames of its video.
  /// - Parameters:
  ///   - choice: which frames to take.
  ///   - memory: bytes that decoded planes may hold in memory, as in `Options`.
  ///   - acceptsDamaged: whether what a damaged video still shows is taken, as in `Options`.
  ///   - onEvent: is told how far reading has come.
  /// - Throws: `CodecError`, `CodecError.programMissing` when `ffmpeg` is not installed.
  public func inputs(
    choice: FrameChoice, memory: Int? = nil, acceptsDamaged: Bool = false, onEvent: (Event) -> Void = { _ in }
  ) throws -> [Input] {
    try inputs(choice, videoOptions(memory, acceptsDamaged), onEvent)
  }

  func inputs(_ choice: FrameChoice, _ options: DecodeOptions, _ onEvent: (Event) -> Void) throws -> [Input] {
    let reader =
      switch video {
      case .inside(let part): try FFmpegReader(path: path, part: part, options: options)
      case .beside(let file): try FFmpegReader(path: file, options: options)
      }
    return [.file(path: path)] + (try CleanPlate.inputs(reader, choice, onEvent))
  }
}

/// A photo without a video.
public struct MotionPhotoError: Error, Sendable, Hashable {
  /// The photo.
  public let photo: FilePath
  /// A video of the same name, which does not say that it belongs to the photo.
  public let stranger: FilePath?
}

extension MotionPhotoError: WordedError {
  public func explanation(naming option: (String) -> String) -> Explanation {
    guard let stranger else {
      return Explanation(
        "'\(photo.text)' holds no video, and none of its name lies beside it.",
        "Leave \(option("motion")) out, and give more pictures.")
    }
    return Explanation(
      "'\(photo.text)' holds no video, and '\(stranger.text)' does not name its content identifier, as a Live Photo's does.",
      "Give '\(stranger.text)' alone to make a plate of the video.")
  }
}

extension Report {
  /// The share of the reference that other frames show, 0...1: beyond it nobody can be removed.
  public var shareBesideReference: Double {
    let (columns, rows) = (64, 48)
    let maps = frames.compactMap { frame -> (map: Homography, size: Size)? in
      guard frame.accepted, frame.index != reference, let size = frame.size,
        let map = frame.homography.flatMap({ Homography(elements: $0) })?.inverse
      else { return nil }
      return (map, size)
    }
    let shown = (0..<columns * rows).count { place in
      let point = Point(
        x: (Double(place % columns) + 0.5) / Double(columns) * Double(size.width),
        y: (Double(place / columns) + 0.5) / Double(rows) * Double(size.height))
      return maps.contains { map, size in
        let seen = map(point)
        return (0..<Double(size.width)).contains(seen.x) && (0..<Double(size.height)).contains(seen.y)
      }
    }
    return Double(shown) / Double(columns * rows)
  }
}
