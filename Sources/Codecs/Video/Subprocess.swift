import Frames
import Glibc
import Synchronization
import SystemPackage

/// A program that runs beside us and writes to a pipe; what it complains of is kept. It is ended with the value.
package final class Subprocess {
  /// The reading end of its standard output.
  let output: Int32
  private let process: pid_t
  private let complaints: UnsafeMutablePointer<FILE>
  private var status: Int32?

  package enum Failure: Error {
    /// No such program on the path.
    case missing
    case cannotStart(errno: Int32)
  }

  /// Starts `arguments[0]`, found on the path, with nothing on its standard input.
  /// - Parameter arguments: of which each may hold a path's `text`.
  package init(_ arguments: [String]) throws(Failure) {
    (process, complaints, output) = try Self.starting.withLock { _ throws(Failure) in try Self.start(arguments) }
  }

  /// One starts after the other: it would inherit the pipe that is being opened for another, which then would not end with that one.
  private static let starting = Mutex(())

  private static func start(
    _ arguments: [String]
  ) throws(Failure) -> (process: pid_t, complaints: UnsafeMutablePointer<FILE>, output: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .cannotStart(errno: errno) }
    // A file, not a pipe: nobody reads along, and a talkative program must not block on it.
    guard let complaints = tmpfile() else {
      for end in ends { close(end) }
      throw .cannotStart(errno: errno)
    }
    for end in ends + [fileno(complaints)] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // Frames are megabytes, and each piece wakes both programs up; where the system allows no more, it stays as it is.
    _ = fcntl(ends[0], setPipeLength, pipeLength)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), 2)
    var words: [UnsafeMutablePointer<CChar>?] =
      arguments.map { strdup($0.nameBytes.map(CChar.init(bitPattern:)) + [0]) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t(0)
    var attributes = plainSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      fclose(complaints)
      throw code == ENOENT ? .missing : .cannotStart(errno: code)
    }
    return (process, complaints, ends[0])
  }

  /// Bytes that may be on their way; Linux allows as many to everybody (`fs.pipe-max-size`).
  private static let pipeLength: Int32 = 1 << 20
  /// Linux's `F_SETPIPE_SZ`, which Swift's C library leaves out.
  private static let setPipeLength: Int32 = 1024 + 7

  /// For a program that minds broken pipes and limits on files, whether we ignore their signals or not.
  private static func plainSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  deinit {
    close(output)
    if status == nil {
      // All that it makes goes into our pipe, so that there is nothing to tidy up.
      kill(process, SIGKILL)
      _ = wait()
    }
    fclose(complaints)
  }

  /// Waits for its end.
  /// - Returns: its exit code, or 128 and more for a signal.
  package func wait() -> Int32 {
    if let status { return status }
    var raw = Int32(0)
    while waitpid(process, &raw, 0) < 0, errno == EINTR {}
    let signal = raw & 0x7F
    let result = signal == 0 ? raw >> 8 & 0xFF : 128 + signal
    status = result
    return result
  }

  /// The last line that it wrote to standard error, at most 300 bytes; without what stands before it in brackets, such as the
  /// address of a part of `ffmpeg`.
  package var lastComplaint: String {
    fflush(complaints)
    fseek(complaints, 0, SEEK_END)
    let length = min(ftell(complaints), 2000)
    guard length > 0 else { return "" }
    fseek(complaints, -length, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: length)
    let count = fread(&bytes, 1, length, complaints)
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
    let line = lines.last ?? ""
    let mark = line.hasPrefix("[") ? line.firstRange(of: "] ") : nil
    return String(line[(mark?.upperBound ?? line.startIndex)...].suffix(300))
  }

  /// All that it writes to standard output. Where that is more than `limit` bytes, or the task is cancelled, it is killed: nobody would
  /// read the rest, for which it would wait.
  package func readOutput(limit: Int) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while result.count <= limit, (try? waitUntilReadable(FileDescriptor(rawValue: output))) != nil {
      let count = Glibc.read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return result }
      result += buffer.prefix(count)
    }
    kill(process, SIGKILL)
    return Array(result.prefix(limit))
  }
}
