import Glibc
import SystemPackage

/// Bytes from a file descriptor (a file, a pipe, a terminal), read in large pieces.
final class ByteStream {
  private let descriptor: FileDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  /// The descriptor stays the caller's.
  init(descriptor: Int32) {
    self.descriptor = FileDescriptor(rawValue: descriptor)
    buffer = .allocate(byteCount: 1 << 18, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Copies exactly `count` bytes to `target`.
  /// - Returns: how many came before the end.
  func read(into target: UnsafeMutableRawPointer, count: Int) throws(FileError) -> Int {
    var done = 0
    while done < count {
      if start == end, count - done >= buffer.count {
        // What is larger than the buffer needs none.
        let length = try readPiece(into: UnsafeMutableRawBufferPointer(start: target + done, count: count - done))
        guard length > 0 else { break }
        done += length
        continue
      }
      if start == end, try !fill() { break }
      let length = min(count - done, end - start)
      (target + done).copyMemory(from: buffer.baseAddress! + start, byteCount: length)
      start += length
      done += length
    }
    return done
  }

  /// The next line without its end; nil at the end of the stream, or when no line ends within `limit` bytes.
  func line(limit: Int) throws(FileError) -> String? {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      if start == end, try !fill() { return nil }
      let byte = buffer[start]
      start += 1
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Whether nothing is left.
  func isAtEnd() throws(FileError) -> Bool {
    if start < end { return false }
    return try !fill()
  }

  private func fill() throws(FileError) -> Bool {
    (start, end) = (0, try readPiece(into: buffer))
    return end > 0
  }

  /// As much as is there.
  /// - Returns: how many bytes; 0 at the end.
  private func readPiece(into target: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    do {
      try waitUntilReadable(descriptor)
      return try descriptor.read(into: target)
    } catch {
      throw .cannotRead(path: FilePath("/dev/fd/\(descriptor.rawValue)"), errno: error.systemCode)
    }
  }
}

/// Waits until there is something to read, or the end, but no longer than the task is wanted.
/// - Throws: `Errno.interrupted` in a task that was cancelled.
func waitUntilReadable(_ file: FileDescriptor) throws(Errno) {
  while true {
    if Task.isCancelled { throw .interrupted }
    var entry = pollfd(fd: file.rawValue, events: Int16(POLLIN), revents: 0)
    let count = poll(&entry, 1, 100)
    if count > 0 { return }
    if count < 0, errno != EINTR { throw Errno(rawValue: errno) }
  }
}
