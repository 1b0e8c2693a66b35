package import Frames
package import SystemPackage

/// The second or two of video that a phone stores with a photo.
package enum MotionVideo: Sendable, Hashable {
  /// Bytes of the photo's own file, as in Android's Motion Photos.
  case inside(Range<Int>)
  /// A file beside it, as in iOS's Live Photos.
  case beside(FilePath)

  /// - Parameters:
  ///   - path: the photo's.
  ///   - bytes: the photo's file, whole.
  ///   - metadata: what it carries.
  /// - Returns: nil where there is none.
  package init?(of path: FilePath, _ bytes: [UInt8], metadata: Metadata) {
    if let range = bytes.withUnsafeBufferPointer({ AppendedVideo.find(in: $0, xmp: metadata.xmp) }) {
      self = .inside(range)
    } else if let identifier = metadata.exif.flatMap(AppleIdentifier.ofPhoto),
      let video = Self.files(beside: path).first(where: { AppleIdentifier.ofVideo($0) == identifier })
    {
      self = .beside(video)
    } else {
      return nil
    }
  }

  /// The videos that bear a photo's name, whatever they are.
  package static func files(beside path: FilePath) -> [FilePath] {
    guard path.lastComponent != nil else { return [] }
    return ["MOV", "mov", "MP4", "mp4"].map { suffix in
      var video = path
      video.extension = suffix
      return video
    }.filter { (try? FileKind($0)) == .file }
  }

  /// Whether a photo may have one, by what is quickly known; where this says no, there is none.
  /// - Parameters:
  ///   - path: the photo's.
  ///   - metadata: what it carries.
  package static func isLikely(of path: FilePath, metadata: Metadata) -> Bool {
    AppendedMedia.areTold(by: metadata.xmp) || !files(beside: path).isEmpty || SamsungTrailer.ends(path)
      || HEIFItems.mayHoldVideo(path)
  }
}
