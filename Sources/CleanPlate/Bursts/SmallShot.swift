import Codecs
import Frames
import Registration
import Resampling
import SystemPackage

/// A shot as it is looked at: small and grey.
struct SmallShot: Sendable {
  fileprivate let frame: Frame
  let glimpse: Glimpse

  /// A picture with this many pixels along its longer side shows what a scene is.
  private static let side = 500

  /// Nil for a shot that cannot be read.
  /// - Throws: `CodecError`, `AllocationError` or `ShimError` when memory runs out.
  init?(_ shot: CardShot) throws {
    let picture: Frame
    do {
      picture = try decodeReduced(readFile(shot.seen), name: shot.seen.text, side: Self.side)
    } catch let error as CodecError {
      if case .allocation = error { throw error }
      return nil
    } catch is FileError {
      return nil
    }
    let factor = max(picture.size.width, picture.size.height) / Self.side
    frame = factor > 1 ? try picture.averaged(over: factor) : picture
    glimpse = try Glimpse(frame)
  }
}

extension Registrar {
  /// All that it knows of a shot: several times what a glance needs.
  func describe(_ shot: SmallShot) throws -> FrameDescription { try describe(shot.frame, keepingPyramid: false) }
}

extension Frame {
  /// A small grey picture of the same.
  fileprivate func averaged(over factor: Int) throws -> Frame {
    // Green is what luma is mostly made of.
    let plane = encoding == .rgb ? planes[1] : planes[0]
    return Frame(planes: [try plane.averaged(over: factor)], encoding: .grey(.full), name: name)
  }
}
