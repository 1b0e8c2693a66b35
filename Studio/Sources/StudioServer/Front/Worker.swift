import CleanPlate
import Foundation
import HTTPTypes
import Subprocess
import Synchronization

/// A session's process, as the front has it: a fault there ends the session and nothing else.
final class Worker: Sendable {
  /// How a process came to its end.
  struct Ending: Sendable {
    /// The session's folder, which tells two processes of one session apart. It is gone.
    var folder: FilePath
    /// Whether it had told that it answers.
    var hasBegun: Bool
    /// For the terminal: "signal 11".
    var words: String
  }

  let id: UUID
  let folder: FilePath
  private let held: WorkerSocket
  private let beginning: Task<Void, any Error>
  private let running: Task<Void, Never>
  /// What it told last of itself, for the list of sessions.
  let summary = Mutex(SessionSummary())

  /// Starts one.
  /// - Parameters:
  ///   - program: that understands `SessionWorker.option`.
  ///   - parent: where a folder is made for what the session is sent.
  ///   - setup: what it is told, with the folder.
  ///   - onEnd: is told when the process has ended, however it did, and its files are gone.
  init(
    _ id: UUID, program: FilePath, in parent: FilePath, setup: (FilePath) -> WorkerSetup,
    onEnd: @Sendable @escaping (Ending) -> Void
  ) throws {
    let folder = try UnfinishedFolder(in: parent)
    // Whoever may open the socket has the session.
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path.string)
    (self.id, self.folder) = (id, folder.path)
    held = try WorkerSocket(in: folder.path, of: id)
    let line = try setup(folder.path).line()
    let (words, continuation) = AsyncStream.makeStream(of: WorkerWord.self)
    beginning = Task {
      for await word in words {
        switch word {
        case .ready: return
        case .refused(let status, let why):
          throw Refusal(HTTPResponse.Status(code: status), why.problem, why.advice)
        }
      }
      throw Refusal(.internalServerError, "The session broke off when it began.", "Begin another one.")
    }
    running = Task {
      let (hasBegun, words) = await Self.run(program, line) { continuation.yield($0) }
      folder.discard()
      onEnd(Ending(folder: folder.path, hasBegun: hasBegun, words: words))
      continuation.finish()
    }
  }

  /// Runs the process until it ends; when the task is cancelled, it is killed.
  private static func run(
    _ program: FilePath, _ line: [UInt8], onWord: @Sendable @escaping (WorkerWord) -> Void
  ) async -> (hasBegun: Bool, ending: String) {
    var options = PlatformOptions()
    // Ctrl-C in the terminal is for the front, which then ends all.
    options.processGroupID = 0
    // Swift would first write down where a fault was, for minutes, while the page waits to be told.
    let environment = Environment.inherit.updating(["SWIFT_BACKTRACE": "enable=no"])
    do {
      let result = try await Subprocess.run(
        .path(program),
        arguments: Arguments(executablePathOverride: "cleanplate-studio", remainingValues: [SessionWorker.option]),
        environment: environment, platformOptions: options,
        input: .inputWriter, output: .sequence, error: .currentStandardError
      ) { execution in
        // The input stays open as long as this goes on: by it the worker knows that the front is there.
        _ = try await execution.standardInputWriter.write(line)
        var hasBegun = false
        for try await line in execution.standardOutput.strings() {
          guard let word = try? JSONDecoder().decode(WorkerWord.self, from: Data(line.utf8)) else { continue }
          if case .ready = word { hasBegun = true }
          onWord(word)
        }
        return hasBegun
      }
      let words =
        switch result.terminationStatus {
        case .exited(let code): "exit code \(code)"
        case .signaled(let number): "signal \(number)"
        }
      return (result.closureResult, words)
    } catch {
      return (false, "\(error)")
    }
  }

  /// Waits until it answers.
  /// - Throws: `Refusal` when the session cannot begin.
  func begun() async throws { try await beginning.value }

  /// Ends it, whatever it does, and removes what it was sent.
  func end() async {
    running.cancel()
    await running.value
  }

  /// Where it is asked.
  var socket: String { held.path }
}

/// What the list of sessions tells of one.
struct SessionSummary: Sendable {
  var frames = 0
  var phase = SessionState.Phase.collecting
}
