import Glibc
public import SystemPackage

/// Makes a folder and those around it, unless they are there.
/// - Throws: `FileError.cannotCreate`.
package func makeFolder(_ path: FilePath) throws(FileError) {
  if (try? FileKind(path)) == .folder { return }
  let around = path.removingLastComponent()
  if !around.isEmpty, around != path { try makeFolder(around) }
  do {
    try system { path.withPlatformString { mkdir($0, 0o777) } }
  } catch {
    // Somebody else may have been faster.
    if error == .fileExists, (try? FileKind(path)) == .folder { return }
    throw .cannotCreate(path: path, errno: error.rawValue)
  }
}

/// A hidden folder that gets its name when everything is in it.
public final class UnfinishedFolder: Sendable {
  /// Where to write meanwhile.
  public let path: FilePath
  private let descriptor: FileDescriptor

  /// - Parameter parent: made if missing.
  /// - Throws: `FileError.cannotCreate`.
  public init(in parent: FilePath) throws(FileError) {
    try makeFolder(parent)
    while true {
      let path = parent.appending(TemporaryName.make())
      do {
        try system { path.withPlatformString { mkdir($0, 0o777) } }
      } catch {
        if error == .fileExists { continue }
        throw .cannotCreate(path: parent, errno: error.rawValue)
      }
      // Until it is held, another process may take it for abandoned.
      let made = path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      if made < 0, errno == ENOENT { continue }
      guard made >= 0 else {
        let number = errno
        _ = path.withPlatformString { rmdir($0) }
        throw .cannotCreate(path: parent, errno: number)
      }
      let folder = FileDescriptor(rawValue: made)
      if TemporaryName.hold(folder) {
        (self.path, descriptor) = (path, folder)
        return
      }
      try? folder.close()
    }
  }

  deinit { try? descriptor.close() }

  /// Gives the folder its name, beside where it is.
  /// - Throws: `FileError.cannotCreate`.
  public func finish(as name: FilePath.Component) throws(FileError) -> FilePath {
    let target = path.removingLastComponent().appending(name)
    do {
      try system { path.withPlatformString { path in target.withPlatformString { rename(path, $0) } } }
    } catch {
      throw .cannotCreate(path: target, errno: error.rawValue)
    }
    return target
  }

  /// Removes the folder and the files in it.
  public func discard() { removeTemporary(path) }
}

/// Gives a folder a temporary name beside where it is, so that of several who want it out of the way one succeeds.
/// - Returns: where it is now; it goes with `discardFolder`, or as what a run that was killed has left.
/// - Throws: `FileError.cannotCreate`.
package func moveAside(_ path: FilePath) throws(FileError) -> FilePath {
  let aside = path.folder.appending(TemporaryName.make())
  do {
    try system { path.withPlatformString { path in aside.withPlatformString { rename(path, $0) } } }
  } catch {
    throw .cannotCreate(path: path, errno: error.rawValue)
  }
  return aside
}

/// Removes a folder and the files in it.
package func discardFolder(_ path: FilePath) { removeTemporary(path) }
