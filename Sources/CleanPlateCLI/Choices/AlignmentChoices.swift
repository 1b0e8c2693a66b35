import ArgumentParser
import CleanPlate

/// The options that say how frames are brought together.
struct AlignmentChoices: ParsableArguments {
  @Option(help: "Which motions between frames to expect.")
  var align: AlignmentModel = .homography

  @Option(
    help: ArgumentHelp(
      "The frame the plate is drawn in: auto, its number from 0, or its path.", valueName: "auto|n|path"),
    completion: .file())
  var reference: ReferenceOption = .auto

  @Option(help: "What the plate shows: what all frames have in common, or the whole reference.")
  var crop: CropMode = .common

  @Option(help: "Whether a residual mesh follows small parallax and rolling shutter.")
  var mesh: MeshChoice = .auto

  @OptionGroup var people: DetectorChoices

  @Option(
    help: ArgumentHelp("A report whose homographies are used instead of registering.", valueName: "report"),
    completion: .file(extensions: ["json"]), transform: path)
  var alignment: FilePath?

  @Option(
    help: ArgumentHelp(
      "Keep the frames as decoded, the registered frames, their Laplacian pictures and the report in a new folder there.",
      valueName: "dir"), completion: .directory, transform: path)
  var keep: FilePath?

  /// The files that are read beside the burst.
  var files: [FilePath] { [alignment].compactMap(\.self) + people.detector.files }

  func options(
    _ burst: BurstArguments, combine: CombineOperator = .median, bits: Int? = nil, strip: Bool,
    cleaning: CleanChoices? = nil, edits: PlateEdits = PlateEdits(), motion: Bool = false, previews: Bool = false,
    digests: Bool = false
  ) throws -> Options {
    let earlier = try alignment.map { path in
      do {
        return try Report(json: try readFile(path, limit: 1 << 28))
      } catch let error as ReportError {
        throw EarlierReportError(path: path, reason: error)
      }
    }
    return try Options(
      align: align, combine: combine, reference: reference, crop: crop, mesh: mesh == .auto,
      detector: people.detector, edits: edits,
      foreground: cleaning?.foreground != nil, layers: cleaning?.layers != nil, threads: burst.talk.threadCount,
      memory: burst.memory?.bytes, bits: bits, alignment: earlier, keep: keep,
      keepsMetadata: !strip, motion: motion, previews: previews, acceptsDamaged: burst.acceptDamaged, digests: digests)
  }
}

/// A report that is none.
struct EarlierReportError: Error {
  let path: FilePath
  let reason: ReportError
}

enum MeshChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, off
}

extension AlignmentModel: ExpressibleByArgument {}
extension CombineOperator: ExpressibleByArgument {}
extension CropMode: ExpressibleByArgument {}

extension ReferenceOption: ExpressibleByArgument {
  public init(argument: String) {
    if argument == "auto" {
      self = .auto
    } else if let index = Int(argument), index >= 0 {
      self = .index(index)
    } else {
      self = .name(FilePath(text: argument).text)
    }
  }
}
