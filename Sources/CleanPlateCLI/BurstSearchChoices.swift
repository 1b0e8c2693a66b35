import ArgumentParser
import CleanPlate

/// The options that say how bursts are told from each other.
struct BurstSearchChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shots that lie further apart in time belong to different bursts (default: 30s).", valueName: "time"))
  var gap: Duration?

  @Option(help: ArgumentHelp("Shots that a burst has at least.", valueName: "n"))
  var atLeast = 3

  @Option(help: ArgumentHelp("Shots that a burst has at most; more are a time lapse.", valueName: "n"))
  var maxFrames = 60

  @Option(help: "Whether exposures that differ by steps are taken as bursts.")
  var brackets: BracketChoice = .skip

  func validate() throws {
    guard atLeast >= 2 else { throw ValidationError("--at-least takes a number from 2, not \(atLeast).") }
    guard maxFrames >= atLeast else {
      throw ValidationError("--max-frames takes at least the \(atLeast) of --at-least, not \(maxFrames).")
    }
  }

  func search(threads: Int) throws -> BurstSearch {
    try BurstSearch(
      gap: gap?.seconds ?? 30, atLeast: atLeast, maxFrames: maxFrames, usesBrackets: brackets == .use, threads: threads)
  }
}

enum BracketChoice: String, ExpressibleByArgument, CaseIterable {
  case use, skip
}
