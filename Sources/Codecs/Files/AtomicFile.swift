import Glibc
public import SystemPackage

/// Writes a file whole or not at all: a temporary file beside it, `fsync`, `rename`, and the folder's `fsync`.
///
/// A path that names something else than a regular file (`/dev/full`, a pipe, a terminal) is written to
/// straight away, since renaming would replace the device itself. A symbolic link's target is replaced or
/// made, not the link.
/// - Throws: `FileError`; what was there before is untouched then.
public func writeAtomically(_ bytes: [UInt8], to path: FilePath) throws(FileError) {
  var mode: mode_t?
  if let status = try? status(path) {
    switch FileKind(mode: status.st_mode) {
    case .folder: throw .cannotCreate(path: path, errno: EISDIR)
    case .special: return try writeThrough(bytes, to: path)
    case .file: mode = status.st_mode & 0o777
    }
    // Renaming over a file asks for rights on its folder only; honour those of the file as well.
    if path.withPlatformString({ access($0, W_OK) }) != 0 { throw .cannotCreate(path: path, errno: errno) }
  }
  let target = path.writeTarget
  // Links that lead in circles lead nowhere.
  guard !target.isLink else { throw .cannotCreate(path: path, errno: ELOOP) }
  let temporary = try TemporaryFile(beside: target, path: path)
  defer { temporary.close() }
  do {
    try temporary.write(bytes, mode: mode)
    try temporary.replace(target)
  } catch {
    temporary.discard()
    throw error
  }
}

/// A file with a name of its own beside the one that it will become.
private struct TemporaryFile {
  let name: FilePath
  let descriptor: FileDescriptor
  /// What errors call the file.
  let path: FilePath

  init(beside target: FilePath, path: FilePath) throws(FileError) {
    self.path = path
    do {
      (name, descriptor) = try Self.create(in: target.folder)
    } catch {
      throw .cannotCreate(path: path, errno: error.rawValue)
    }
  }

  private static func create(in folder: FilePath) throws(Errno) -> (FilePath, FileDescriptor) {
    while true {
      let name = folder.appending(TemporaryName.make())
      let made = name.withPlatformString { open($0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
      guard made >= 0 else {
        if errno == EEXIST || errno == EINTR { continue }
        throw Errno(rawValue: errno)
      }
      let file = FileDescriptor(rawValue: made)
      if TemporaryName.hold(file) { return (name, file) }
      try? file.close()
    }
  }

  func write(_ bytes: [UInt8], mode: mode_t?) throws(FileError) {
    // Files begin private; a picture gets the rights that any new file would.
    do {
      try system { fchmod(descriptor.rawValue, mode ?? (0o666 & ~fileModeMask())) }
      try descriptor.writeAll(bytes)
      try system { fsync(descriptor.rawValue) }
    } catch {
      throw .cannotWrite(path: path, errno: error.systemCode)
    }
  }

  func replace(_ target: FilePath) throws(FileError) {
    do {
      try system { name.withPlatformString { name in target.withPlatformString { rename(name, $0) } } }
    } catch {
      throw .cannotCreate(path: path, errno: error.rawValue)
    }
    let folder = target.folder.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard folder >= 0 else { return }
    fsync(folder)
    Glibc.close(folder)
  }

  func discard() { _ = name.withPlatformString { unlink($0) } }

  /// Ends the hold on the file, too.
  func close() { try? descriptor.close() }
}

/// The rights that new files do not get. Asking `umask` would set it, for every thread, until it is set back.
private func fileModeMask() -> mode_t {
  let lines =
    (try? readFile("/proc/self/status")).map { String(decoding: $0, as: UTF8.self).split(separator: "\n") } ?? []
  let digits = lines.first { $0.hasPrefix("Umask:") }?.split(separator: "\t").last
  return digits.flatMap { mode_t($0, radix: 8) } ?? 0o077
}

private func writeThrough(_ bytes: [UInt8], to path: FilePath) throws(FileError) {
  let file: FileDescriptor
  do {
    file = FileDescriptor(
      rawValue: try system { path.withPlatformString { open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) } })
  } catch {
    throw .cannotCreate(path: path, errno: error.rawValue)
  }
  defer { try? file.close() }
  do {
    try file.writeAll(bytes)
  } catch {
    throw .cannotWrite(path: path, errno: error.systemCode)
  }
}
