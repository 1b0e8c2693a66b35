public import Codecs
public import Frames
public import SystemPackage

/// Why there is no plate.
public enum PlateError: Error, Sendable, Equatable {
  /// Fewer than two inputs were given.
  case tooFewInputs(Int)
  /// Fewer than two frames could be used; the reasons, by index and name.
  case tooFewGoodFrames(accepted: Int, rejected: [LeftOut])
  /// The chosen reference has no frame.
  case referenceOutOfRange(index: Int, count: Int)
  /// No input has the name that was chosen as the reference.
  case noSuchReference(name: String)
  /// The chosen reference could not be used itself.
  case referenceUnusable(name: String, reason: Rejection)
  /// The accepted frames have no rectangle in common.
  case nothingInCommon
  /// A file of the detector that was named cannot be read.
  case detectorUnreadable(FileError)
  /// A file of the detector that was named is no network that is known; the reason is a clause.
  case detectorUnusable(path: FilePath, reason: String)

  /// A frame that was left out.
  public struct LeftOut: Sendable, Hashable {
    /// Its place in the burst.
    public let index: Int
    /// What messages call it.
    public let name: String
    /// Why.
    public let reason: Rejection

    /// A frame of this place and name, left out for this reason.
    public init(index: Int, name: String, reason: Rejection) {
      self.index = index
      self.name = name
      self.reason = reason
    }
  }
}
