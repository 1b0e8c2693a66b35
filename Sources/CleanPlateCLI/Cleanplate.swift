import ArgumentParser
import CleanPlate

@main
struct Cleanplate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cleanplate",
    abstract: "The photo that nobody walked through, out of a handheld burst.",
    discussion: """
      Examples:
        cleanplate photos/*.jpg -o plate.jpg
        cleanplate photos/ -o plate.jpg --report report.json
        cleanplate rank photos/
        cleanplate align photos/ -o aligned/
        cleanplate compare plate.png golden.png --tolerance 2

      `cleanplate BURST... -o PLATE` is short for `cleanplate plate BURST... -o PLATE`; \
      `cleanplate help plate` lists its options.
      """,
    version: programVersion,
    subcommands: [PlateCommand.self, RankCommand.self, AlignCommand.self, CompareCommand.self],
    defaultSubcommand: PlateCommand.self)
}
