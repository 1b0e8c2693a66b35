import Glibc
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
      (written, changed) = (status.st_mtim.nanoseconds, status.st_ctim.nanoseconds)
    } catch {
      throw .cannotRead(path: path, errno: error.rawValue)
    }
  }

  /// Seconds since the beginning of 1970 at which its content was written last.
  package var writtenSeconds: Double { Double(written) / 1e9 }
}

extension timespec {
  /// Years before 1678 and after 2261, which a file may well have, count as the first or the last moment that fits.
  fileprivate var nanoseconds: Int {
    let (whole, overflow) = tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(tv_nsec)
    return overflow || carry ? (tv_sec < 0 ? .min : .max) : sum
  }
}
