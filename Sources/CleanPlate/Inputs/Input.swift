public import Frames
public import SystemPackage

/// One picture of a burst, in whatever form the caller has it.
public enum Input: Sendable {
  /// A picture file.
  case file(path: FilePath)
  /// The bytes of a picture file, and a name for messages.
  case bytes([UInt8], name: String)
  /// One of several pictures in the bytes of a file (`PictureSeries.pictures`), counted from 0.
  case picture(Int, of: [UInt8], path: FilePath)
  /// Planes that were decoded elsewhere.
  case frame(Frame)

  /// What messages call it; a path's name is its `text`.
  public var name: String {
    switch self {
    case .file(let path): path.text
    case .bytes(_, let name): name
    case .picture(let index, _, let path): "\(path.text) picture \(index + 1)"
    case .frame(let frame): frame.name
    }
  }

  /// The path of the file that it comes from, when it is one.
  public var path: FilePath? {
    switch self {
    case .file(let path), .picture(_, _, let path): path
    case .bytes, .frame: nil
    }
  }
}
