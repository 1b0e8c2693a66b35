package import SystemPackage

/// By what a file shows that it has changed, without being read.
package struct FileStamp: Sendable, Hashable, Codable {
  /// Of the file.
  package let byteCount: Int
  /// When its content was written last, in nanoseconds since the beginning of 1970.
  package let written: Int
  /// When anything about it changed, its name and its rights included; nobody can set it at will.
  package let changed: Int

  /// - Throws: `FileError.cannotRead`.
  package init(_ path: FilePath) throws(FileError) {
    do {
      let status = try status(path)
      byteCount = Int(status.st_size)
      written = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
      changed = status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    } catch {
      throw .cannotRead(path: path, errno: error.rawValue)
    }
  }

  /// Seconds since the beginning of 1970 at which its content was written last.
  package var writtenSeconds: Double { Double(written) / 1e9 }
}
