import ArgumentParser
import CleanPlate
import Foundation

struct BurstsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bursts",
    abstract: "List the bursts in folders of photos.",
    discussion: """
      Bursts are told by camera, size and time, and by sight: neighbours in time that show different scenes are two bursts, \
      and pictures of a walk are none. A photo with which a phone stored a video is called that. Folders are searched to any depth.

      Examples:
        cleanplate bursts card/
        cleanplate bursts card/ --gap 10s --json
      """)

  @Argument(help: "Folders of photos, such as a camera's card.", completion: .directory, transform: path)
  var folders: [FilePath]

  @OptionGroup var choices: BurstSearchChoices

  @OptionGroup var talk: TalkChoices

  @Flag(help: "Print what was found as JSON.")
  var json = false

  func run() async throws {
    let console = Console(talk, isList: true)
    try await reportingErrors(console) {
      let found = try await findBursts(in: folders, search: choices.search(threads: talk.threadCount)) { done, total in
        console.showSearch(done: done, total: total)
      }
      console.note(skipped: found.skipped, verbose: talk.verbose)
      try console.result(json ? try found.json().lines : found.listing)
      console.close()
    }
  }
}
