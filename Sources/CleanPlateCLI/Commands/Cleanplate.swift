import ArgumentParser
import CleanPlate
import Foundation
import SystemPackage

@main
struct Cleanplate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cleanplate",
    abstract: "The photo that nobody walked through, out of a handheld burst.",
    discussion: """
      `cleanplate BURST... -o PLATE` is short for `cleanplate plate BURST... -o PLATE`; \
      `cleanplate help plate` lists its options.

      Examples:
        cleanplate photos/*.jpg -o plate.jpg
        cleanplate photos/ -o plate.jpg --report report.json
        cleanplate bursts card/
        cleanplate batch card/ -o plates/
        cleanplate rank photos/
        cleanplate align photos/ -o aligned/
        cleanplate compare plate.png golden.png --tolerance 2
        cleanplate studio --open

      \(ExitCode.table)
      """,
    version: programVersion,
    subcommands: [
      PlateCommand.self, BurstsCommand.self, BatchCommand.self, RankCommand.self, AlignCommand.self,
      CompareCommand.self, StudioCommand.self, FetchDetectorCommand.self, ManualCommand.self,
    ],
    defaultSubcommand: PlateCommand.self)

  static func main() async {
    StandardStreams.occupy()
    FreedMemory.keep()
    // Names of files need not be UTF-8, as `CommandLine.arguments` would have them.
    let arguments = CommandLine.unsafeArgv
    let words = (1..<max(1, Int(CommandLine.argc))).map { index in
      String(
        nameBytes: UnsafeBufferPointer(start: arguments[index], count: strlen(arguments[index]!)).map(
          UInt8.init(bitPattern:)))
    }
    do {
      let shell = ProcessInfo.processInfo.environment["SHELL"]
      if let target = try CompletionTarget.requested(by: words, shell: shell) {
        let script = target.script(of: try CommandDescription(of: Cleanplate.self))
        _ = try? FileDescriptor.standardOutput.writeAll(Array(script.utf8))
        return
      }
      var command = try parseAsRoot(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
    endAtOnce()
  }

  /// Ends the program without tidying up in memory that the kernel takes back anyhow: oneDNN alone would hand back a
  /// thousand small pieces of code, one after another.
  private static func endAtOnce() -> Never {
    fflush(nil)
    _exit(ExitCode.success.rawValue)
  }

  /// Says what is wrong with the arguments, or what was asked for about them, and ends the program.
  private static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    var message = fullMessage(for: error)
    if message.hasPrefix("Error: ") { message = "error: " + message.dropFirst(7) }
    if !message.isEmpty {
      let stream = code.isSuccess ? FileDescriptor.standardOutput : .standardError
      _ = try? stream.writeAll((message + "\n").nameBytes)
    }
    Foundation.exit(code.rawValue)
  }
}

/// The path that an argument names.
func path(_ argument: String) throws -> FilePath {
  if argument.isEmpty { throw ValidationError("A file's name is empty.") }
  return FilePath(text: argument)
}
