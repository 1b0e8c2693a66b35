import Glibc
package import SystemPackage

/// A file, whatever it is called: two paths have one identity when what is written to one would be found in the other.
///
/// A file that exists is told by its device and inode, so that hard and symbolic links are the same. One that does not
/// exist yet is told by the folder in which it would be made, and its name there.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// Below that folder; empty for what exists.
  private let rest: FilePath

  /// Nil for what neither exists nor has a folder around it that does.
  package init?(_ path: FilePath) {
    let target = path.writeTarget
    var known = target
    var missing: [FilePath.Component] = []
    while true {
      if let status = try? status(known.isEmpty ? "." : known) {
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        rest = FilePath(root: nil, missing.reversed())
        return
      }
      guard let last = known.lastComponent else { return nil }
      missing.append(last)
      known.removeLastComponent()
    }
  }

  /// Of an open file; nil for one that is closed.
  package init?(_ file: FileDescriptor) {
    guard let status = try? status(file) else { return nil }
    (device, inode, rest) = (UInt64(status.st_dev), UInt64(status.st_ino), "")
  }
}

extension FilePath {
  /// Where a file ends up that is written to this path: behind symbolic links, whether they lead to something or not.
  var writeTarget: FilePath {
    var path = self
    // As many links as Linux follows.
    for _ in 0..<40 {
      guard let next = path.linkDestination else { return path }
      path = path.removingLastComponent().pushing(next)
    }
    return self
  }

  var isLink: Bool { linkDestination != nil }

  /// Of a symbolic link; nil for anything else.
  private var linkDestination: FilePath? {
    var buffer = [CInterop.PlatformChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = withPlatformString { readlink($0, &buffer, Int(PATH_MAX)) }
    return count > 0 ? FilePath(platformString: buffer) : nil
  }

  /// The folder in which a file is made that is written to this path.
  package var writeFolder: FilePath { writeTarget.folder }

  /// The folder around it, `.` for a bare name.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
