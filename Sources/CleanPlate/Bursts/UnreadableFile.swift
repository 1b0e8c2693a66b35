import Codecs
import Frames
import SystemPackage

/// A file that shows nothing.
struct UnreadableFile: Error {
  /// A clause that follows the file's name and a colon.
  let why: String

  /// Why nothing is known of a file that `PictureFacts` makes nothing of.
  init(_ path: FilePath) {
    do {
      try Self.telling {
        let bytes = try readFile(path)
        _ = try (readHeader(bytes, name: path.text), readMetadata(bytes, name: path.text))
      }
      why = "it could not be read a moment ago"
    } catch let error as Self {
      self = error
    } catch {
      why = "\(error)"
    }
  }

  private init(why: String) { self.why = why }

  /// Runs what reads a file.
  /// - Throws: `UnreadableFile` for what is wrong with the file; else what `read` throws, as when memory runs out.
  static func telling<R>(_ read: () throws -> R) throws -> R {
    do {
      return try read()
    } catch let error as CodecError {
      if case .allocation = error { throw error }
      throw Self(why: error.words)
    } catch let error as FileError {
      throw Self(why: error.words)
    }
  }
}
