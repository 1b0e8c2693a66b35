import Glibc
import Synchronization
public import SystemPackage

/// Why samples could not be given a home.
public enum AllocationError: Error, Equatable, Sendable {
  case outOfMemory(bytes: Int)
  /// The temporary file that holds planes past the memory budget could not be made.
  case spillFailed(folder: FilePath, bytes: Int, errno: Int32)
}

/// How many bytes decoded planes may hold in memory; what goes past it lives in unlinked temporary files.
///
/// The result of a run does not depend on it.
public final class MemoryBudget: Sendable {
  /// In bytes.
  public let limit: Int
  /// The folder in which temporary files are made and at once unlinked.
  public let spillFolder: FilePath
  private let used = Mutex(0)

  /// At most `limit` bytes in memory; what goes past them lies in unlinked files in `spillFolder`.
  public init(limit: Int, spillFolder: FilePath = "/var/tmp") {
    self.limit = limit
    self.spillFolder = spillFolder
  }

  func reserve(_ bytes: Int) -> Bool {
    used.withLock { used in
      guard used + bytes <= limit else { return false }
      used += bytes
      return true
    }
  }

  func release(_ bytes: Int) {
    used.withLock { $0 -= bytes }
  }
}

enum SpillFile {
  /// Maps `length` bytes of a new file that has no name any more, so that nothing can be left behind.
  static func map(_ length: Int, in folder: FilePath) throws(AllocationError) -> UnsafeMutableRawPointer {
    var template = folder.appending("cleanplate-XXXXXX").withPlatformString {
      Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
    }
    let file = mkstemp(&template)
    guard file >= 0 else { throw .spillFailed(folder: folder, bytes: length, errno: errno) }
    unlink(template)
    defer { close(file) }
    // Reserving the blocks now turns a full disk into an error here instead of a SIGBUS on a later write.
    let reserved = posix_fallocate(file, 0, off_t(length))
    guard reserved == 0 else { throw .spillFailed(folder: folder, bytes: length, errno: reserved) }
    guard let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), base != MAP_FAILED else {
      throw .spillFailed(folder: folder, bytes: length, errno: errno)
    }
    return base
  }
}
