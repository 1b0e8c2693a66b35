import ArgumentParser
import CleanPlate
import Codecs
import Foundation

struct AlignCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "align",
    abstract: "Write the registered frames of a burst.",
    discussion: """
      Every accepted frame is written as the reference's camera would have taken it, named after its number in the \
      burst: frame_00.png, frame_01.png, ... What a frame does not show is black.

      Examples:
        cleanplate align photos/ -o aligned/
        cleanplate align photos/ -o aligned/ --format tiff --depth 16 --report report.json
      """)

  @OptionGroup var arguments: BurstArguments
  @OptionGroup var choices: AlignmentChoices

  @Option(
    name: [.short, .long], help: ArgumentHelp("The folder for the frames; made if missing.", valueName: "dir"),
    completion: .directory, transform: path)
  var output: FilePath

  @Option(help: "The frames' format.")
  var format: AlignedFormat = .png

  @OptionGroup var writing: OutputChoices

  @Option(
    help: ArgumentHelp(
      "Where to write what was measured and decided, as JSON. - is standard output.", valueName: "file"),
    completion: .file(extensions: ["json"]), transform: path)
  var report: FilePath?

  func run() async throws {
    let console = Console(arguments.talk, stages: [.decode, .register, .stack], outputs: [report].compactMap(\.self))
    let folders = [output, report?.writeFolder, choices.keep].compactMap(\.self)
    try await reportingErrors(console, writingIn: folders) {
      let burst = try arguments.find(console)
      let options = try choices.options(arguments, strip: writing.strip, digests: report != nil)
      writing.warnOfLostBits(format.imageFormat, console: console)
      let inputs = try burst.inputs(console)
      func path(_ index: Int) -> FilePath {
        output.appending("\(numbered("frame", index, of: inputs.count)).\(format.suffix)")
      }
      let files = try OutputFiles(
        outputs: inputs.indices.map(path) + [report].compactMap(\.self),
        inputs: burst.files + choices.files)
      try makeFolder(output)
      try files.checkWritable()
      let encoding = writing.encoding(format.imageFormat, threads: arguments.talk.threadCount)
      var written: Set<FilePath> = []
      let result = try await alignFrames(of: inputs, options: options, onEvent: { console.show($0) }) { index, frame in
        try writeAtomically(try encode(frame, options: encoding), to: path(index))
        written.insert(path(index))
      }
      if let report { try writeResult(result.json(), to: report) }
      warnOfOthers(besides: written, console: console)
      try console.finish(
        ["\(output.text): \(written.count) registered frames, \(result.crop.width)x\(result.crop.height)"])
    }
  }

  /// Says which frames of another run lie among those that were written: whoever stacks the folder would mix them.
  private func warnOfOthers(besides written: Set<FilePath>, console: Console) {
    let others = ((try? folderEntries(output)) ?? []).filter { !written.contains(output.appending($0)) }.map(\.string)
      .filter { name in
        name.hasPrefix("frame_") && AlignedFormat.allCases.contains { name.hasSuffix(".\($0.suffix)") }
      }
    guard let first = others.min() else { return }
    let more = others.count > 1 ? " and \(others.count - 1) more" : ""
    console.warn("\(output.text) also holds \(first)\(more), which this run has not written")
  }
}

enum AlignedFormat: String, ExpressibleByArgument, CaseIterable {
  case png, jpeg, tiff

  var suffix: String {
    switch self {
    case .png: "png"
    case .jpeg: "jpg"
    case .tiff: "tif"
    }
  }

  var imageFormat: ImageFormat {
    switch self {
    case .png: .png
    case .jpeg: .jpeg
    case .tiff: .tiff
    }
  }
}
