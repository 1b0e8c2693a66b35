import ArgumentParser
import CleanPlate

/// The options that say how bursts are told from each other.
struct BurstSearchChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Shots that lie further apart in time belong to different bursts (default: 30s).", valueName: "time"))
  var gap: SecondsArgument?

  @Option(help: ArgumentHelp("Shots that a burst has at least.", valueName: "n"))
  var atLeast = 3

  @Option(help: ArgumentHelp("Shots that a burst has at most; more are a time lapse.", valueName: "n"))
  var maxFrames = 60

  @Option(help: "Whether exposures that differ by steps are taken as bursts.")
  var brackets: BracketChoice = .skip

  func validate() throws {
    do {
      _ = try search(threads: 1)
    } catch let error as BurstSearchError {
      throw ValidationError(error.explanation { "--\($0)" }.text)
    }
  }

  func search(acceptsDamaged: Bool = false, threads: Int) throws -> BurstSearch {
    try BurstSearch(
      gap: gap?.seconds ?? 30, atLeast: atLeast, maxFrames: maxFrames, usesBrackets: brackets == .use,
      acceptsDamaged: acceptsDamaged, threads: threads)
  }
}

enum BracketChoice: String, ExpressibleByArgument, CaseIterable {
  case use, skip
}
