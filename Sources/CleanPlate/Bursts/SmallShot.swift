import Codecs
import Frames
import Registration
import Resampling
import SystemPackage

/// A shot as it is looked at: small and grey, and first of all its upper half alone, which shows buildings rather than
/// those who walk before them, and takes half the time to decode.
struct SmallShot: Sendable {
  private let shot: CardShot
  private let acceptsDamaged: Bool
  fileprivate let frame: Frame
  let isWhole: Bool
  let glimpse: Glimpse

  /// A picture with this many pixels along its longer side shows what a scene is.
  private static let side = 500
  /// Of the rows, from the first that is stored.
  private static let share = 0.5

  /// - Parameter acceptsDamaged: whether a picture may lack what a broken file does not tell.
  /// - Throws: `CodecError`, `AllocationError` or `ShimError` when memory runs out.
  static func read(_ shot: CardShot, acceptsDamaged: Bool) throws -> Result<SmallShot, UnreadableFile> {
    do {
      return .success(try SmallShot(shot, share: Self.share, acceptsDamaged: acceptsDamaged))
    } catch let error as UnreadableFile {
      return .failure(error)
    }
  }

  private init(_ shot: CardShot, share: Double, acceptsDamaged: Bool) throws {
    let picture = try UnreadableFile.telling {
      try decodeReduced(
        readFile(shot.seen), name: shot.seen.text, side: Self.side, share: share,
        options: DecodeOptions(acceptsDamaged: acceptsDamaged))
    }
    (self.shot, self.acceptsDamaged) = (shot, acceptsDamaged)
    isWhole = picture.part.size == picture.whole
    // Of a strip a few pixels high, no more than those can become one.
    let (longer, shown) = (max(picture.whole.width, picture.whole.height), picture.part.size)
    let factor = max(min(longer / Self.side, shown.width, shown.height), 1)
    frame = factor > 1 ? try picture.frame.averaged(over: factor) : picture.frame
    glimpse = try Glimpse(
      frame, of: Size(width: picture.whole.width / factor, height: picture.whole.height / factor),
      at: (x: picture.part.x / factor, y: picture.part.y / factor))
  }

  /// All of the shot; the half, where the other cannot be read.
  /// - Throws: `CodecError`, `AllocationError` or `ShimError` when memory runs out.
  func whole() throws -> SmallShot {
    guard !isWhole else { return self }
    do {
      return try SmallShot(shot, share: 1, acceptsDamaged: acceptsDamaged)
    } catch is UnreadableFile {
      return self
    }
  }
}

extension Registrar {
  /// All that it knows of a shot: several times what a glance needs.
  func describe(_ shot: SmallShot) throws -> FrameDescription {
    try describe(shot.whole().frame, keepingPyramid: false)
  }
}

extension Frame {
  /// A small grey picture of the same.
  fileprivate func averaged(over factor: Int) throws -> Frame {
    // Green is what luma is mostly made of.
    let plane = encoding == .rgb ? planes[1] : planes[0]
    return Frame(planes: [try plane.averaged(over: factor)], encoding: .grey(.full), name: name)
  }
}
