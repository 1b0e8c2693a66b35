import Foundation

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
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: FileHandle = .nullDevice
  ) throws -> Outcome {
    try launch(arguments, in: folder, environment: environment, input: input).outcome()
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
      return String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }
  }

  static func launch(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: FileHandle = .nullDevice
  ) throws -> Running {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    process.standardInput = input
    let (output, errors) = (try Captured(), try Captured())
    process.standardOutput = try FileHandle(forWritingTo: output.url)
    process.standardError = try FileHandle(forWritingTo: errors.url)
    try process.run()
    return Running(process: process, output: output, errors: errors)
  }
}

/// A folder of a test's own, removed with it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "cleanplate-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func write(_ bytes: [UInt8], as name: String) throws {
    let target = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: target)
  }

  /// Names in the folder, sorted; hidden ones included.
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
}
