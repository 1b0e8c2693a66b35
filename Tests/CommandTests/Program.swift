import Foundation
import Frames

/// The built `cleanplate`, run as users run it.
enum Program {
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
    /// Whether the program ended by itself, not by a signal.
    let exited: Bool
  }

  /// The program lies beside the test runner.
  static let executable: URL = {
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return runner.deletingLastPathComponent().appending(path: "cleanplate")
  }()

  static func run(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: FileHandle = .nullDevice,
    output: FileHandle? = nil, ignoring signals: [String] = [], limits: String = ""
  ) throws -> Outcome {
    try launch(
      arguments, in: folder, environment: environment, input: input, output: output, ignoring: signals, limits: limits
    ).outcome()
  }

  /// A run that is still going on.
  struct Running {
    let process: Process
    private let output: Captured
    private let errors: Captured

    init(process: Process, output: Captured, errors: Captured) {
      self.process = process
      self.output = output
      self.errors = errors
    }

    /// Whether nothing has come on standard error yet.
    var saidNothing: Bool { get throws { try Data(contentsOf: errors.url).isEmpty } }

    /// Whether these words came on standard error; true as well once the program has ended and will not say them.
    func said(_ words: String) throws -> Bool {
      try !process.isRunning || String(nameBytes: Data(contentsOf: errors.url)).contains(words)
    }

    /// Before, the loader or the shell would die of them.
    func waitUntilItMindsSignals() throws {
      while process.isRunning {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let caught = status.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
        // Those that the shell or another program before this one minds are gone with it.
        if caught >> UInt64(SIGTERM - 1) & 1 == 1, status.hasPrefix("Name:\tcleanplate") { return }
        usleep(1000)
      }
    }

    func outcome() throws -> Outcome {
      process.waitUntilExit()
      return Outcome(
        status: process.terminationStatus, output: try output.text(), errors: try errors.text(),
        exited: process.terminationReason == .exit)
    }
  }

  /// What a stream wrote, kept in a file so that no full pipe can stop the program.
  struct Captured {
    let url: URL

    init() throws {
      url = FileManager.default.temporaryDirectory.appending(path: "cleanplate-test-\(UUID().uuidString)")
      try Data().write(to: url)
    }

    func text() throws -> String {
      defer { try? FileManager.default.removeItem(at: url) }
      return String(nameBytes: try Data(contentsOf: url))
    }
  }

  /// - Parameters:
  ///   - taken: what standard output goes to; nil to keep it for the outcome.
  ///   - signals: that the program is to find ignored, such as `HUP`.
  ///   - limits: options of the shell's `ulimit`.
  static func launch(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: FileHandle = .nullDevice,
    output taken: FileHandle? = nil, ignoring signals: [String] = [], limits: String = ""
  ) throws -> Running {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script(arguments, ignoring: signals, limits: limits)]
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = input
    let (output, errors) = (try Captured(), try Captured())
    process.standardOutput = try taken ?? FileHandle(forWritingTo: output.url)
    process.standardError = try FileHandle(forWritingTo: errors.url)
    try process.run()
    return Running(process: process, output: output, errors: errors)
  }
}

extension Program {
  /// What a shell runs in its place, with arguments byte for byte (`Process` takes Unicode only) and no signal ignored,
  /// whatever the tests were started by.
  private static func script(_ arguments: [String], ignoring signals: [String], limits: String) -> String {
    let words = ([executable.path] + arguments).map { word in
      "\"$(printf '\(word.nameBytes.map { "\\" + String($0, radix: 8) }.joined())')\""
    }
    let limit = limits.isEmpty ? "" : "ulimit \(limits); "
    let ignored = signals.isEmpty ? "" : "--ignore-signal=\(signals.joined(separator: ",")) "
    return
      "\(limit)exec /usr/bin/env --default-signal=INT,QUIT,TERM,HUP,PIPE,XFSZ \(ignored)\(words.joined(separator: " "))"
  }
}
