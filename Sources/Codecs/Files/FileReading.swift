import Frames
import Glibc
public import SystemPackage

/// What a path stands for.
package enum FileKind: Sendable, Hashable {
  case file, folder
  case special(SpecialFile)

  /// Of what is at a path, through symbolic links.
  /// - Throws: `Errno`, such as `.noSuchFileOrDirectory`.
  package init(_ path: FilePath) throws(Errno) {
    self.init(mode: try status(path).st_mode)
  }

  init(mode: mode_t) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFIFO: self = .special(.pipe)
    case S_IFSOCK: self = .special(.socket)
    default: self = .special(.device)
    }
  }
}

/// Opens a file to be read. Pipes, devices and sockets are refused before anything waits for them.
/// - Returns: a descriptor that the caller closes.
/// - Throws: `FileError`.
package func openFile(_ path: FilePath) throws(FileError) -> FileDescriptor {
  do {
    // Opening alone does something to some devices.
    try checkKind(status(path), path)
    let file = FileDescriptor(
      rawValue: try system { path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } })
    do {
      // Another file may have come to the path meanwhile.
      try checkKind(status(file), path)
    } catch {
      try? file.close()
      throw error
    }
    return file
  } catch let error as FileError {
    throw error
  } catch {
    throw .cannotRead(path: path, errno: error.systemCode)
  }
}

private func checkKind(_ status: stat, _ path: FilePath) throws(FileError) {
  switch FileKind(mode: status.st_mode) {
  case .file: break
  case .folder: throw .cannotRead(path: path, errno: EISDIR)
  case .special(let kind): throw .special(path: path, kind: kind)
  }
}

/// Bytes of a file from which on huge pages pay.
private let large = 8 << 20

/// Reads a whole file.
/// - Parameters:
///   - path: the file.
///   - limit: in bytes.
/// - Throws: `FileError`.
public func readFile(_ path: FilePath, limit: Int = 4 << 30) throws(FileError) -> [UInt8] {
  let file = try openFile(path)
  defer { try? file.close() }
  do {
    var result: [UInt8] = []
    // One byte more than there should be finds the end without another piece.
    var capacity = max(Int(try status(file).st_size) + 1, 1 << 16)
    while true {
      guard result.count + capacity <= limit + (1 << 16) else { throw FileError.tooLong(path: path, limit: limit) }
      let piece = try [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        if let base = buffer.baseAddress, capacity >= large { preferHugePages(base, capacity) }
        while count < capacity {
          let got = try file.read(
            into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
          guard got > 0 else { break }
          count += got
        }
      }
      let isLast = piece.count < capacity
      if result.isEmpty { result = piece } else { result += piece }
      guard result.count <= limit else { throw FileError.tooLong(path: path, limit: limit) }
      if isLast { return result }
      capacity = 1 << 16
    }
  } catch let error as FileError {
    throw error
  } catch {
    throw .cannotRead(path: path, errno: error.systemCode)
  }
}

/// The first bytes of a file: enough to tell its format, or as many as are asked for, where it has them.
/// - Throws: `FileError`.
package func readHead(_ path: FilePath, count most: Int = ImageFormat.headLength) throws(FileError) -> [UInt8] {
  let file = try openFile(path)
  defer { try? file.close() }
  do {
    return try [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
  } catch {
    throw .cannotRead(path: path, errno: error.systemCode)
  }
}

/// The last bytes of a file, as many as are asked for, or all where it has fewer.
/// - Throws: `FileError`.
func readTail(_ path: FilePath, count most: Int) throws(FileError) -> [UInt8] {
  try readPart(path, count: most) { size in max(size - Int64(most), 0) }
}

/// Bytes from the middle of a file, as many as are asked for, or fewer where it ends before.
/// - Throws: `FileError`.
package func readMiddle(_ path: FilePath, count most: Int) throws(FileError) -> [UInt8] {
  try readPart(path, count: most) { size in size / 2 }
}

/// Bytes from where `start` says, of a file's size, or fewer where it ends before.
private func readPart(
  _ path: FilePath, count most: Int, from start: (_ size: Int64) -> Int64
) throws(FileError) -> [UInt8] {
  let file = try openFile(path)
  defer { try? file.close() }
  do {
    let first = start(Int64(try status(file).st_size))
    return try [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      count = try file.read(fromAbsoluteOffset: first, into: UnsafeMutableRawBufferPointer(buffer))
    }
  } catch {
    throw .cannotRead(path: path, errno: error.systemCode)
  }
}

/// How many bytes a file holds.
/// - Throws: `FileError.cannotRead`.
package func fileByteCount(_ path: FilePath) throws(FileError) -> Int {
  do {
    return Int(try status(path).st_size)
  } catch {
    throw .cannotRead(path: path, errno: error.rawValue)
  }
}

/// The names in a folder, in no certain order, without those of the folder itself and of the one around it.
/// - Throws: `FileError.cannotRead`.
public func folderEntries(_ folder: FilePath) throws(FileError) -> [FilePath.Component] {
  guard let stream = folder.withPlatformString({ opendir($0) }) else {
    throw .cannotRead(path: folder, errno: errno)
  }
  defer { closedir(stream) }
  var names: [FilePath.Component] = []
  while true {
    errno = 0
    guard let entry = readdir(stream) else { break }
    let component = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CInterop.PlatformChar.self, capacity: Int(NAME_MAX) + 1) {
        FilePath.Component(platformString: $0)
      }
    }
    if let component, component.kind == .regular { names.append(component) }
  }
  guard errno == 0 else { throw .cannotRead(path: folder, errno: errno) }
  return names
}

/// - Throws: the `Errno` of a call that returns a negative number when it fails.
@discardableResult
func system(_ call: () -> Int32) throws(Errno) -> Int32 {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw Errno(rawValue: errno) }
  }
}

func status(_ path: FilePath) throws(Errno) -> stat {
  var result = stat()
  try system { path.withPlatformString { stat($0, &result) } }
  return result
}

func status(_ file: FileDescriptor) throws(Errno) -> stat {
  var result = stat()
  try system { fstat(file.rawValue, &result) }
  return result
}

extension Error {
  /// The number of a failed call, as `errno` has it.
  var systemCode: Int32 {
    guard let code = self as? Errno else { return EIO }
    return code.rawValue
  }
}
