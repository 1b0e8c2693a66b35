import CleanPlate
import Foundation
import Synchronization
import SystemPackage

/// What a run says to the person in front of it, on standard error: warnings, progress, and with `--verbose` what
/// was found. Results go to standard output.
final class Console: Sendable {
  private let state: Mutex<ProgressState>
  private let isLive: Bool
  private let isPlain: Bool
  private let isQuiet: Bool
  /// Whether a picture or a report goes to standard output, and so nothing else may.
  private let isOutputTaken: Bool
  let verbose: Bool

  /// - Parameters:
  ///   - stages: the parts of the run, in order.
  ///   - hasDetector: whether the run looks for people by a detector, which takes longest.
  ///   - outputs: the files that the command writes.
  ///   - isList: the command prints a list, into which lines about stages would not fit unless asked for.
  init(
    _ talk: TalkChoices, stages: [Stage] = [], hasDetector: Bool = false, outputs: [FilePath] = [],
    isList: Bool = false
  ) {
    let isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    isQuiet = talk.quiet
    let style = isQuiet ? .none : talk.progress
    isLive = style == .auto && isTerminal
    isPlain = style == .plain || (style == .auto && !isTerminal && !isList)
    isOutputTaken = outputs.contains(where: \.isStandardOutput)
    verbose = talk.verbose
    state = Mutex(ProgressState(stages: stages, hasDetector: hasDetector))
  }

  /// For a command that only prints a result.
  init() {
    (isLive, isPlain, isQuiet, isOutputTaken, verbose) = (false, false, false, false, false)
    state = Mutex(ProgressState(stages: []))
  }

  /// Prints lines that were asked for, on standard output, to the byte unless that is a terminal. Who reads no further has seen
  /// enough.
  /// - Throws: `FileError.cannotWrite`.
  func result(_ lines: [String]) throws {
    close()
    let shown = isatty(STDOUT_FILENO) == 1 ? lines.map(Self.harmless) : lines
    do {
      try FileDescriptor.standardOutput.writeAll(shown.map { $0 + "\n" }.joined().nameBytes)
    } catch Errno.brokenPipe {
    } catch let error as Errno {
      throw FileError.cannotWrite(path: "standard output", errno: error.rawValue)
    }
  }

  /// Says, in some lines, that all is done.
  /// - Throws: `FileError.cannotWrite`.
  func finish(_ lines: [String]) throws {
    if isOutputTaken { lines.forEach(note) } else if !isQuiet { try result(lines) }
    close()
  }

  func warn(_ text: String) { note("warning: \(text)") }

  func note(_ text: String) {
    if !isQuiet { say(text) }
  }

  func error(_ text: String) { say("error: \(text)") }

  /// Follows a run; may be called from any task.
  func show(_ event: Event) {
    for line in wording(of: event, verbose: verbose, tellsStages: isPlain) { note(line) }
    guard isLive || isPlain else { return }
    state.withLock { state in
      guard let line = state.update(event, plain: isPlain) else { return }
      if isLive { putLive(line, &state) } else { write(line + "\n") }
    }
  }

  /// How far the search for bursts has come.
  func showSearch(done: Int, total: Int) {
    guard isLive else { return }
    showLive("looking for bursts \(done)/\(total)", isLast: done == total)
  }

  /// Puts a line in place of the live line, as often as eyes can follow.
  func showLive(_ line: String, isLast: Bool = false) {
    guard isLive else { return }
    state.withLock { state in
      if state.mayShow(isLast: isLast) { putLive(line, &state) }
    }
  }

  private func putLive(_ line: String, _ state: inout ProgressState) {
    write("\r\(Self.fitting(line, Self.columns - 1))\u{1B}[K")
    state.isLineOpen = true
  }

  /// Ends the live line so that what follows starts on a fresh one.
  func close() { state.withLock { closeLive(&$0) } }

  private func closeLive(_ state: inout ProgressState) {
    if state.isLineOpen { write("\r\u{1B}[K") }
    state.isLineOpen = false
  }

  private func say(_ line: String) {
    state.withLock { state in
      closeLive(&state)
      write(Self.harmless(line) + "\n")
    }
  }

  /// A line without what a name may hold that means something to a terminal, or would begin a line that nobody said.
  private static func harmless(_ line: String) -> String {
    let isPlain = { (character: Unicode.Scalar) in character == "\t" || character.properties.generalCategory != .control
    }
    return String(String.UnicodeScalarView(line.unicodeScalars.map { isPlain($0) ? $0 : "\u{FFFD}" }))
  }

  /// As many parts of a line as there is room for.
  private static func fitting(_ line: String, _ width: Int) -> Substring {
    var end = line.endIndex
    while line.distance(from: line.startIndex, to: end) > width,
      let gap = line[..<end].range(of: "  ", options: .backwards)
    {
      end = gap.lowerBound
    }
    return line[..<end].prefix(width)
  }

  /// Of the terminal, now. A line that is longer could not be overwritten.
  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func write(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll(text.nameBytes)
  }
}

extension String {
  /// What stands between line breaks.
  var lines: [String] { components(separatedBy: "\n") }
}
