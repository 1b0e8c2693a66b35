import CleanPlate
import Foundation
import Glibc

/// What ties a worker to the front: its standard input, whose other end the front holds and never lets go. It closes when the
/// front ends, however that ends.
///
/// `PR_SET_PDEATHSIG` would not do: it tells of the end of the thread that started the worker.
struct Lifeline: Sendable {
  let setup: WorkerSetup

  /// Ends the process with all that its session was sent as soon as the front is gone.
  func hold() {
    let thread = Thread { [self] in
      var byte: UInt8 = 0
      while true {
        let count = read(STDIN_FILENO, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { break }
      }
      removeFiles()
      _exit(0)
    }
    thread.name = "lifeline"
    thread.start()
  }

  private func removeFiles() {
    removeOwnTemporaries(in: setup.keepFolder)
    removeOwnTemporaries(in: setup.keepFolder.appending(setup.id.uuidString))
    // Other threads may still be writing there.
    for _ in 0..<100 {
      try? FileManager.default.removeItem(atPath: setup.folder.string)
      guard FileManager.default.fileExists(atPath: setup.folder.string) else { return }
      usleep(10_000)
    }
  }
}
