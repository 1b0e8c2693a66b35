import Codecs
import Foundation
import Frames
import SystemPackage

/// Tells when something arrives in folders or in the folders in them, by Linux's inotify.
final class FolderWatch {
  private let descriptor: FileDescriptor
  private let roots: [FilePath]
  private let output: FileIdentity?

  /// What is written, moved or made there.
  private static let events = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE)

  /// - Parameter output: a folder of which nothing is told, unless it is named itself.
  /// - Throws: `FileError.cannotRead` when the system has no more watches to give.
  init(_ roots: [FilePath], except output: FilePath) throws(FileError) {
    let made = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard made >= 0 else { throw .cannotRead(path: roots[0], errno: errno) }
    descriptor = FileDescriptor(rawValue: made)
    self.roots = roots
    let output = FileIdentity(output)
    self.output = roots.contains { FileIdentity($0) == output } ? nil : output
    try watchFolders()
  }

  deinit { try? descriptor.close() }

  /// Whether anything has happened since the last call. Folders that have come meanwhile are watched from now on.
  /// - Throws: `FileError.cannotRead`.
  func hasNews() throws(FileError) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var isNew = false
    while read(descriptor.rawValue, &buffer, buffer.count) > 0 { isNew = true }
    if isNew { try watchFolders() }
    return isNew
  }

  /// Watching a folder again changes nothing.
  private func watchFolders() throws(FileError) {
    var seen: Set<FileIdentity> = []
    var open = roots
    while let folder = open.popLast() {
      guard let identity = FileIdentity(folder), identity != output, seen.insert(identity).inserted else { continue }
      let watch = folder.withPlatformString { inotify_add_watch(descriptor.rawValue, $0, Self.events) }
      // A folder that has gone, or is closed to us, has nothing to tell.
      guard watch >= 0 || errno != ENOSPC else { throw .cannotRead(path: folder, errno: ENOSPC) }
      for name in (try? folderEntries(folder)) ?? [] where !name.string.hasPrefix(".") {
        let path = folder.appending(name)
        if (try? FileKind(path)) == .folder { open.append(path) }
      }
    }
  }
}
