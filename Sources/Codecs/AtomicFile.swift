#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a file could not be read or written.
public enum FileError: Error, Sendable, Equatable {
  /// `errno` tells why the file could not be opened or read.
  case cannotRead(path: String, errno: Int32)
  /// Longer than `limit` bytes.
  case tooLong(path: String, limit: Int)
  /// Nothing could be made at the path (no folder, no permission, a folder of that name): exit code 73.
  case cannotCreate(path: String, errno: Int32)
  /// Writing failed on the way (disk full): exit code 74.
  case cannotWrite(path: String, errno: Int32)
}

/// Writes a file whole or not at all: a temporary file beside it, `fsync`, `rename`, and the folder's `fsync`.
///
/// A path that names something else than a regular file (`/dev/full`, a pipe, a terminal) is written to
/// straight away, since renaming would replace the device itself. A symbolic link's target is replaced or made, not
/// the link.
/// - Throws: `FileError`; what was there before is untouched then.
public func writeAtomically(_ bytes: [UInt8], to path: String) throws(FileError) {
  let target = try resolvingLinks(path)
  var status = stat()
  if stat(target, &status) == 0 {
    if status.st_mode & S_IFMT == S_IFDIR { throw .cannotCreate(path: path, errno: EISDIR) }
    if status.st_mode & S_IFMT != S_IFREG { return try writeThrough(bytes, to: path) }
    // Renaming over a file asks for rights on its folder only; honour those of the file as well.
    if access(target, W_OK) != 0 { throw .cannotCreate(path: path, errno: errno) }
  }
  let mode = status.st_mode & S_IFMT == S_IFREG ? status.st_mode & 0o777 : nil
  let temporary = try TemporaryFile(beside: target, path: path)
  do {
    try temporary.write(bytes, mode: mode)
    try temporary.replace(target)
  } catch {
    temporary.discard()
    throw error
  }
}

/// Reads a whole file.
/// - Parameter limit: in bytes.
/// - Throws: `FileError`.
public func readFile(_ path: String, limit: Int = 4 << 30) throws(FileError) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw .cannotRead(path: path, errno: errno) }
  defer { close(file) }
  var status = stat()
  guard fstat(file, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
  if status.st_mode & S_IFMT == S_IFDIR { throw .cannotRead(path: path, errno: EISDIR) }
  var result: [UInt8] = []
  // A regular file tells its length; a pipe does not and is read in pieces.
  var capacity = max(Int(status.st_size), 1 << 16)
  while true {
    guard result.count + capacity <= limit + (1 << 16) else { throw .tooLong(path: path, limit: limit) }
    var got = 0
    let piece = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      while count < capacity {
        got = read(file, buffer.baseAddress! + count, capacity - count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        count += got
      }
    }
    guard got >= 0 else { throw .cannotRead(path: path, errno: errno) }
    let isLast = piece.count < capacity
    if result.isEmpty { result = piece } else { result += piece }
    guard result.count <= limit else { throw .tooLong(path: path, limit: limit) }
    if isLast { return result }
    capacity = 1 << 16
  }
}

/// A file with a name of its own beside the one that it will become.
private struct TemporaryFile {
  let name: String
  let descriptor: Int32
  /// What errors call the file.
  let path: String

  init(beside target: String, path: String) throws(FileError) {
    let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(target[...$0]) } ?? ""
    let base = slash.map { String(target[target.utf8.index(after: $0)...]) } ?? target
    // Hidden, and short enough for any file system.
    var template = Array("\(folder).\(base.prefix(40)).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, errno: errno) }
    name = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    self.path = path
  }

  func write(_ bytes: [UInt8], mode: mode_t?) throws(FileError) {
    defer { close(descriptor) }
    // mkstemp makes files private; a picture gets the rights that any new file would.
    let mask = umask(0)
    umask(mask)
    guard fchmod(descriptor, mode ?? (0o666 & ~mask)) == 0, writeAll(bytes, descriptor), fsync(descriptor) == 0 else {
      throw .cannotWrite(path: path, errno: errno)
    }
  }

  func replace(_ target: String) throws(FileError) {
    guard rename(name, target) == 0 else { throw .cannotCreate(path: path, errno: errno) }
    let slash = target.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = open(slash.map { String(target[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  func discard() { unlink(name) }
}

private func writeThrough(_ bytes: [UInt8], to path: String) throws(FileError) {
  let file = open(path, O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { throw .cannotCreate(path: path, errno: errno) }
  let isWritten = writeAll(bytes, file)
  let code = errno
  close(file)
  guard isWritten else { throw .cannotWrite(path: path, errno: code) }
}

private func writeAll(_ bytes: [UInt8], _ file: Int32) -> Bool {
  bytes.withUnsafeBytes { buffer in
    var done = 0
    while done < buffer.count {
      let count = Glibc.write(file, buffer.baseAddress! + done, buffer.count - done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }
}

/// The file that a chain of symbolic links leads to, which need not be there; the path itself when it is no link.
private func resolvingLinks(_ path: String) throws(FileError) -> String {
  var target = path
  // As many as the kernel follows.
  for _ in 0..<40 {
    var link = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    // Whatever else is wrong with the path shows when the file is made.
    guard readlink(target, &link, link.count - 1) > 0 else { return target }
    let next = link.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let folder = target.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(target[...$0]) } ?? ""
    target = next.hasPrefix("/") ? next : folder + next
  }
  throw .cannotCreate(path: path, errno: ELOOP)
}
