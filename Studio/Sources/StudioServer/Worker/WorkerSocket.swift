import CleanPlate
import Foundation
import Glibc

/// Where a worker is asked: a socket in its session's folder, which only this user can open.
///
/// It is named by way of the open folder: names of sockets have 107 bytes at most, and a temporary folder may lie deep.
final class WorkerSocket: Sendable {
  private let folder: Int32
  /// In the file system, for this process alone.
  let path: String

  /// - Throws: `CocoaError` when there is no such folder.
  init(in folder: FilePath, of id: UUID) throws {
    self.folder = folder.withPlatformString { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard self.folder >= 0 else { throw CocoaError(.fileNoSuchFile) }
    // A name of its own, so that no connection is ever taken for one to another session.
    path = "/proc/self/fd/\(self.folder)/\(id.uuidString)"
  }

  deinit { close(folder) }
}
