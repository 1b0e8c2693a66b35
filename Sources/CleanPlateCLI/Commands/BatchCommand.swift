import ArgumentParser
import CleanPlate
import Foundation

struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Make a plate of every burst in folders of photos.",
    discussion: """
      What was made before, from the same files with the same options, is not made again: the same command goes on where it \
      was stopped. Several runs may share one output folder. batch.json in it holds every burst's report. Ends with 65 when \
      bursts were refused.

      Examples:
        cleanplate batch card/ -o plates/
        cleanplate batch card/ -o plates/ --name {date}-{number}.jpg --dry-run
        cleanplate batch facades/ -o plates/ --shard 3/16
      """)

  @Argument(help: "Folders of photos, such as a camera's card.", completion: .directory, transform: path)
  var folders: [FilePath]

  @Option(
    name: [.short, .long], help: ArgumentHelp("The folder of the plates; made if missing.", valueName: "dir"),
    transform: path)
  var output: FilePath

  @Option(
    help: ArgumentHelp(
      "How plates are called: {first}, the first picture's name, {date}, {time} and {number}; the suffix names the format.",
      valueName: "template"), transform: nameTemplate)
  var name = NameTemplate.standard

  @Flag(help: "Make plates of photos with a video, too: Motion Photos and Live Photos of phones.")
  var motion = false

  @Flag(help: "Only tell what would be made.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "Of n parts of the bursts, make this one: 3/16 is every sixteenth burst from the third.", valueName: "i/n"))
  var shard: Shard?

  @Flag(
    help: """
      Go on until interrupted: make plates of bursts that arrive, as from a tethered camera or a phone that is synchronised, \
      once nothing has come to them for the --gap.
      """)
  var watch = false

  @OptionGroup var choices: BurstSearchChoices
  @OptionGroup var making: MakingChoices
  @OptionGroup var writing: OutputChoices
  @OptionGroup var talk: TalkChoices

  func validate() throws {
    _ = try format
    if motion, making.combine != .clean {
      throw ValidationError("--motion goes with --combine clean: only it tells where the photo is free.")
    }
    if watch, dryRun { throw ValidationError("--watch makes plates, and --dry-run none. Leave one of them out.") }
  }

  private var format: ImageFormat { get throws { try outputFormat(FilePath(text: name.text)) } }

  func run() async throws {
    let console = Console(talk)
    let result = try await reportingErrors(console, writingIn: [output]) {
      let format = try format
      let options = BatchOptions(
        plate: try making.options(threads: talk.threadCount, bits: writing.bits(for: format)),
        encoding: writing.encoding(format, threads: talk.threadCount), template: name,
        search: try choices.search(acceptsDamaged: making.acceptDamaged, threads: talk.threadCount), shard: shard,
        usesMotion: motion, isDryRun: dryRun)
      writing.warnOfLostBits(format, console: console)
      let progress = BatchProgress(console, verbose: talk.verbose, tellsFinds: !watch)
      if watch {
        try await watchFolders(folders, into: output, options: options, onEvent: { progress.show($0) }) { result in
          // Whoever reads no longer does not want it to end.
          if result.hasNews { try? console.finish(result.summary(folder: output, isDryRun: false)) }
        }
      }
      let result = try await makePlates(of: folders, into: output, options: options) { progress.show($0) }
      if talk.quiet { result.refusals.forEach(console.error) }
      try console.finish(result.summary(folder: output, isDryRun: dryRun))
      return result
    }
    if !result.refusals.isEmpty { throw ExitCode.dataError }
  }
}

/// The options that say how each plate of a batch is made.
struct MakingChoices: ParsableArguments {
  @Option(help: "How the samples of a pixel become one.")
  var combine: CombineOperator = .clean

  @Option(help: "Which motions between frames to expect.")
  var align: AlignmentModel = .homography

  @Option(help: "What a plate shows: what all its frames have in common, or the whole reference.")
  var crop: CropMode = .common

  @Option(help: "Whether a residual mesh follows small parallax and rolling shutter.")
  var mesh: MeshChoice = .auto

  @OptionGroup var people: DetectorChoices

  @Option(
    help: ArgumentHelp(
      "Memory for the decoded frames of all bursts under way, such as 800M or 1.5G; what goes past it waits on disk.",
      valueName: "size"))
  var memory: ByteCount?

  @Flag(help: "Use what damaged and truncated files still show.")
  var acceptDamaged = false

  func options(threads: Int, bits: Int?) throws -> Options {
    try Options(
      align: align, combine: combine, crop: crop, mesh: mesh == .auto, detector: people.detector, threads: threads,
      memory: memory?.bytes, bits: bits, acceptsDamaged: acceptDamaged, digests: true)
  }
}

extension Shard: ExpressibleByArgument {
  public init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1] else { return nil }
    self.init(number: number, count: count)
  }
}

/// A template as it is typed.
func nameTemplate(_ argument: String) throws -> NameTemplate {
  do {
    return try NameTemplate(argument)
  } catch {
    throw ValidationError(error.explanation { "--\($0)" }.text)
  }
}
