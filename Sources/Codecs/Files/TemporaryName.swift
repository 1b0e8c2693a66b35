import Glibc
public import SystemPackage

/// Hidden files and folders that become a result once they are whole, `.cleanplate-` and two words of letters and digits: one of the
/// process, one of its own.
///
/// Their makers hold a lock on them (`flock`), which ends with the process however that ends: whoever can take it has
/// found something that nobody will finish.
enum TemporaryName {
  private static let prefix = ".cleanplate-"
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
  private static let length = 10
  private static let process = word()

  static func make() -> FilePath.Component {
    FilePath.Component("\(prefix)\(process)-\(word())")!
  }

  private static func word() -> String { String((0..<length).map { _ in alphabet.randomElement()! }) }

  /// Whether this process, or any of this program, would give the name.
  static func matches(_ name: FilePath.Component, ofThisProcess: Bool) -> Bool {
    let text = name.string
    guard text.hasPrefix(prefix) else { return false }
    let words = text.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy({ $0.count == length && $0.allSatisfy(alphabet.contains) }) else {
      return false
    }
    return !ofThisProcess || words[0] == process
  }

  /// Takes the lock of something that was just made.
  /// - Returns: whether it is still there; another process may have taken it for abandoned in between. True also where
  ///   the file system has no locks, as nobody can take anything for abandoned there.
  static func hold(_ file: FileDescriptor) -> Bool {
    if flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
    guard let status = try? status(file) else { return false }
    return status.st_nlink > 0
  }
}

/// Removes from a folder what runs that were killed have left there half-written; what other processes are still writing, and
/// what has any other name, is not touched. A folder that is not there or cannot be read is no error.
public func removeAbandonedTemporaries(in folder: FilePath) {
  for name in (try? folderEntries(folder)) ?? [] where TemporaryName.matches(name, ofThisProcess: false) {
    let path = folder.appending(name)
    let file = path.withPlatformString { open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
    guard file >= 0 else { continue }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { removeTemporary(path) }
    close(file)
  }
}

/// Removes from a folder what this process is writing there: for one that is about to end and cannot wait for those who write.
public func removeOwnTemporaries(in folder: FilePath) {
  for name in (try? folderEntries(folder)) ?? [] where TemporaryName.matches(name, ofThisProcess: true) {
    removeTemporary(folder.appending(name))
  }
}

/// Removes a temporary file, or a temporary folder with the files in it.
func removeTemporary(_ path: FilePath) {
  if path.withPlatformString({ unlink($0) }) == 0 { return }
  for name in (try? folderEntries(path)) ?? [] { _ = path.appending(name).withPlatformString { unlink($0) } }
  _ = path.withPlatformString { rmdir($0) }
}
