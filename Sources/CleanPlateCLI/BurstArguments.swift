import ArgumentParser
import CleanPlate
import Foundation
import Frames

/// The arguments that every command on a burst has.
struct BurstArguments: ParsableArguments {
  @Argument(help: "Pictures and folders of pictures of one scene.", completion: .file())
  var burst: [String]

  @Option(help: ArgumentHelp("Tasks that work at once (default: one per core).", valueName: "n"))
  var threads: Int?

  @Option(
    help: ArgumentHelp(
      "Memory for decoded frames, such as 800M or 1.5G; what goes past it waits in an unlinked temporary file.",
      valueName: "size"))
  var memory: ByteCount?

  @Flag(help: "Use what damaged and truncated files still show.")
  var acceptDamaged = false

  @Option(help: "How to show progress: a live line on a terminal and plain lines elsewhere, or plain lines, or none.")
  var progress: ProgressStyle = .auto

  @Flag(name: [.short, .long], help: "Tell what was found and how long it took.")
  var verbose = false

  mutating func validate() throws {
    if burst.isEmpty { throw ValidationError("Name the pictures of a burst, or a folder that holds them.") }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes a number from 1 to 1024, not \(threads).")
    }
  }

  var threadCount: Int { threads ?? ProcessInfo.processInfo.activeProcessorCount }

  /// The pictures, after a word about what was passed over in folders.
  func inputs(console: Console) throws -> [Input] {
    let files = try BurstFiles(paths: burst)
    console.note(skipped: files.skipped, verbose: verbose)
    return files.pictures.map { .file(path: $0) }
  }
}

enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
  case auto, plain, none
}
