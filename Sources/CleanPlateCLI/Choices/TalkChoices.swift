import ArgumentParser
import CleanPlate
import Foundation

/// The options of commands on folders that say how much is done at once and told.
struct TalkChoices: ParsableArguments {
  @Option(help: ArgumentHelp("Tasks that work at once (default: one per core).", valueName: "n"))
  var threads: Int?

  @Option(help: "How to show progress: a live line on a terminal and plain lines elsewhere, or plain lines, or none.")
  var progress: ProgressStyle = .auto

  @Flag(name: [.short, .long], help: "Tell what was found and how long it took.")
  var verbose = false

  @Flag(name: [.short, .long], help: "Say nothing but errors.")
  var quiet = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other. Leave one of them out.") }
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads takes a number from 1 to 1024, not \(threads).")
    }
  }

  var threadCount: Int { threads ?? ProcessInfo.processInfo.activeProcessorCount }
}
