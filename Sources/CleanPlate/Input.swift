public import Frames

/// One picture of a burst, in whatever form the caller has it.
public enum Input: Sendable {
  /// A picture file.
  case file(path: String)
  /// The bytes of a picture file, and a name for messages.
  case bytes([UInt8], name: String)
  /// Planes that were decoded elsewhere.
  case frame(Frame)

  /// What messages call it.
  public var name: String {
    switch self {
    case .file(let path): path
    case .bytes(_, let name): name
    case .frame(let frame): frame.name
    }
  }

  /// The file's path, when it is one.
  public var path: String? {
    if case .file(let path) = self { path } else { nil }
  }
}
