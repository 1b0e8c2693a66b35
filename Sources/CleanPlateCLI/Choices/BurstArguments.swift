import ArgumentParser
import CleanPlate
import Foundation

/// The arguments that every command on a burst has.
struct BurstArguments: ParsableArguments {
  @Argument(
    help: """
      Pictures of one scene, folders of them, a video, a file of several pictures, or - for uncompressed video (Y4M) on \
      standard input.
      """,
    completion: .file(), transform: path)
  var burst: [FilePath]

  @Option(
    help: ArgumentHelp(
      "Of a video or animation, take the sharpest frame out of every stretch of this length, such as 0.5s.",
      valueName: "time"))
  var every: SecondsArgument?

  @Option(
    help: ArgumentHelp(
      "Of a video or a file of several pictures, take at most this many, evenly spread (default: 20).", valueName: "n"))
  var maxFrames: Int?

  @Option(
    help: ArgumentHelp(
      "Memory for decoded frames, such as 800M or 1.5G; what goes past it waits in an unlinked temporary file.",
      valueName: "size"))
  var memory: ByteCount?

  @Flag(help: "Use what damaged and truncated files still show.")
  var acceptDamaged = false

  @OptionGroup var talk: TalkChoices

  mutating func validate() throws {
    if burst.isEmpty { throw ValidationError("Name the pictures of a burst, or a folder that holds them.") }
    if let maxFrames, !(2...Self.mostFrames).contains(maxFrames) {
      throw ValidationError("--max-frames takes a number from 2 to \(Self.mostFrames), not \(maxFrames).")
    }
    if burst.contains("-"), burst.count > 1 {
      throw ValidationError("Standard input (-) is a burst of its own. Name no other picture beside it.")
    }
  }

  /// Also of a video that never ends.
  private static let mostFrames = 10_000

  /// What the paths stand for, after a word about what was passed over in folders. Nothing is read but first bytes.
  /// - Parameter outputs: files that are going to be written; plates among them are no inputs.
  /// - Throws: `BurstError`.
  func find(_ console: Console, outputs: [FilePath] = []) throws -> FoundBurst {
    let choice = FrameChoice(every: every?.seconds, maximum: maxFrames ?? (every == nil ? 20 : Self.mostFrames))
    let choiceOptions = (every == nil ? [] : ["--every"]) + (maxFrames == nil ? [] : ["--max-frames"])
    if burst == ["-"] {
      return FoundBurst(
        named: burst, pictures: nil, choice: choice, choiceOptions: choiceOptions, memory: memory?.bytes,
        acceptsDamaged: acceptDamaged)
    }
    var files = try BurstFiles(paths: burst)
    console.note(skipped: files.skipped, verbose: talk.verbose)
    let plates = files.leaveOutPlates(madeAgainAs: outputs.filter { !$0.isStandardOutput })
    for plate in plates { console.note("\(plate.text) is a plate of an earlier run and is replaced") }
    return FoundBurst(
      named: burst.filter { !plates.contains($0) }, pictures: files.pictures, choice: choice,
      choiceOptions: choiceOptions, memory: memory?.bytes, acceptsDamaged: acceptDamaged)
  }
}

/// A length of time as people write it: 0.5, 0.5s, 500ms.
struct SecondsArgument: ExpressibleByArgument {
  let seconds: Double

  init?(argument: String) {
    let isMilli = argument.hasSuffix("ms")
    let digits = isMilli ? argument.dropLast(2) : argument.hasSuffix("s") ? argument.dropLast() : argument[...]
    guard let number = Double(digits), number.isFinite, number > 0 else { return nil }
    seconds = isMilli ? number / 1000 : number
  }
}

enum ProgressStyle: String, ExpressibleByArgument, CaseIterable {
  case auto, plain, none
}
