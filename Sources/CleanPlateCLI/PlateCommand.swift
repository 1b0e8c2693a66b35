import ArgumentParser
import CleanPlate
import Codecs
import Foundation
import Frames

struct PlateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plate", abstract: "Make a clean plate out of a burst (the default command).")

  @OptionGroup var arguments: BurstArguments
  @OptionGroup var choices: AlignmentChoices

  @Option(help: "How the samples of a pixel become one.")
  var combine: CombineOperator = .clean

  @OptionGroup var cleaning: CleanChoices

  @Option(name: [.short, .long], help: ArgumentHelp("The plate; its suffix names the format.", valueName: "file"))
  var output: String

  @OptionGroup var writing: OutputChoices

  @Option(
    help: ArgumentHelp(
      "A picture of about 1280 pixels that shows the plate while frames come in, refreshed with each.",
      valueName: "file"))
  var preview: String?

  @Option(help: ArgumentHelp("Where to write what was measured and decided, as JSON.", valueName: "file"))
  var report: String?

  func validate() throws {
    _ = try outputFormat(output)
    if let preview { _ = try outputFormat(preview) }
    guard cleaning.support == nil || combine == .clean else {
      throw ValidationError("--support goes with --combine clean: only it counts which frames back a pixel.")
    }
  }

  func run() async throws {
    let console = Console(style: arguments.progress, verbose: arguments.verbose)
    try await reportingErrors(console) {
      let options = try choices.options(
        arguments, combine: combine, bits: writing.bits(for: try outputFormat(output)), cleaning: cleaning,
        previews: preview != nil)
      writing.warnOfLostBits(try outputFormat(output), console: console)
      let inputs = try arguments.inputs(console: console)
      let outputs = try OutputFiles(
        outputs: [output, report, preview].compactMap(\.self) + cleaning.outputs, inputs: inputs,
        named: arguments.burst)
      try outputs.checkWritable()
      let previewFile = try preview.map { try PreviewFile($0, quality: writing.quality, strip: writing.strip) }
      let result = try await makePlate(from: inputs, options: options) { event in
        if case .preview(let picture) = event { previewFile?.show(picture) } else { console.show(event) }
      }
      try previewFile?.check()
      let encoding = writing.encoding(
        try outputFormat(output), threads: arguments.threadCount, history: result.report.history)
      let bytes = try encode(result.plate, options: encoding)
      try writeAtomically(bytes, to: output)
      try cleaning.writePictures(of: result, writing, threads: arguments.threadCount)
      if let report { try writeAtomically(result.report.json(), to: report) }
      console.close()
      print(closingLine(result, output: output))
    }
  }
}
