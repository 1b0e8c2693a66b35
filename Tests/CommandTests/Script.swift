import Foundation

/// One of the scripts of the project, run by bash.
enum Script {
  static let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Scripts").standardizedFileURL

  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// - Parameter tools: where the script finds the programs that it calls, as `PATH` has it.
  static func run(_ path: String, _ arguments: [String], tools: String) throws -> Result {
    let script = Process()
    script.executableURL = URL(fileURLWithPath: "/bin/bash")
    script.arguments = [path] + arguments
    script.environment = ["PATH": tools]
    let (output, errors) = (Pipe(), Pipe())
    (script.standardOutput, script.standardError) = (output, errors)
    try script.run()
    // Neither fills its pipe, so that one may be read after the other.
    let texts = [output, errors].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    script.waitUntilExit()
    return Result(status: script.terminationStatus, output: texts[0], errors: texts[1])
  }
}
