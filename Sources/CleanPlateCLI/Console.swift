import CleanPlate
import Foundation
import Synchronization

/// What a run says to the person in front of it, on standard error: warnings, progress, and with `--verbose` what
/// was found. Results go to standard output.
final class Console: Sendable {
  private let state: Mutex<ProgressState>
  private let isLive: Bool
  private let isPlain: Bool
  let verbose: Bool

  init(style: ProgressStyle, verbose: Bool) {
    let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    isLive = style == .auto && isTerminal
    isPlain = style == .plain || (style == .auto && !isTerminal)
    self.verbose = verbose
    state = Mutex(ProgressState())
  }

  func warn(_ text: String) { say("warning: \(text)") }

  func note(_ text: String) { say(text) }

  func detail(_ text: String) {
    if verbose { say(text) }
  }

  /// Follows a run; may be called from any task.
  func show(_ event: Event) {
    for line in wording(of: event, verbose: verbose) { say(line) }
    guard isLive || isPlain else { return }
    state.withLock { state in
      guard let line = state.update(event, plain: isPlain) else { return }
      if isLive {
        write("\r\(line)\u{1B}[K")
        state.isLineOpen = true
      } else {
        write(line + "\n")
      }
    }
  }

  /// Ends the live line so that what follows starts on a fresh one.
  func close() {
    state.withLock { state in
      if state.isLineOpen { write("\r\u{1B}[K") }
      state.isLineOpen = false
    }
  }

  private func say(_ text: String) {
    state.withLock { state in
      if state.isLineOpen { write("\r\u{1B}[K") }
      state.isLineOpen = false
      write(text + "\n")
    }
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
