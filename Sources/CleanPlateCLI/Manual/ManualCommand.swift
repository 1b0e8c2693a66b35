import ArgumentParser
import CleanPlate
import Codecs

/// What packages are made with: the manual pages, out of what `--help` says. Help does not list it.
struct ManualCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write-manual", abstract: "Write the manual pages.", shouldDisplay: false)

  @Argument(help: "The folder for the pages; made if missing.", completion: .directory, transform: path)
  var folder: FilePath

  func run() async throws {
    let console = Console()
    try await reportingErrors(console, writingIn: [folder]) {
      try makeFolder(folder)
      for page in ManualPage.all(of: try CommandDescription(of: Cleanplate.self)) {
        try writeAtomically(Array(page.text.utf8), to: folder.appending(page.fileName))
      }
    }
  }
}
