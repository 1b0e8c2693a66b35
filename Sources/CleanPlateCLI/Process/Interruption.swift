import ArgumentParser
import CleanPlate
import Foundation
import Synchronization

/// What Ctrl-C and requests to end do to a run.
enum Interruption {
  /// Milliseconds that a run has to unwind. Who waits in a call that cannot be called off, as at a slow disk, never would.
  private static let grace: Int32 = 600

  /// A pipe that takes the numbers of signals from the handler, which may do little else, to the thread that acts on them.
  private static let numbers: (read: Int32, write: Int32) = {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Runs `body` so that a signal cancels it: it unwinds, removes what it has begun, and the program ends with the code that
  /// shells expect, 128 + the signal's number. Where it has not unwound soon, or at a second signal, the program ends at once.
  ///
  /// Signals that were ignored when the program was started stay ignored: `nohup` and shells that start jobs in the
  /// background mean it.
  /// - Parameter folders: where files are being written; nothing half-written stays in them either way.
  static func run<Result: Sendable>(
    writingIn folders: [FilePath], _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // A reader who leaves and a limit on the length of files (`ulimit -f`) are errors of writing, with words.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    let ends = numbers
    for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] where !isIgnored(number) { signal(number, handler) }
    let received = Mutex<Int32?>(nil)
    let task = Task(operation: body)
    Thread.detachNewThread {
      var number: UInt8 = 0
      while read(ends.read, &number, 1) != 1 {
        if errno != EINTR { return }
      }
      let code = 128 + Int32(number)
      received.withLock { $0 = code }
      task.cancel()
      var second = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
      poll(&second, 1, grace)
      for folder in folders { removeOwnTemporaries(in: folder) }
      _exit(code)
    }
    do {
      return try await task.value
    } catch {
      // Whatever a cancelled run stumbles over, it ends because of the signal.
      if let code = received.withLock(\.self) { throw ExitCode(code) }
      throw error
    }
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    write(numbers.write, &byte, 1)
    errno = saved
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var inherited = sigaction()
    sigaction(number, nil, &inherited)
    return unsafeBitCast(inherited.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
