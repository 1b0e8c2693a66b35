import ArgumentParser
import CleanPlate
import Codecs
import Foundation
import Frames

struct PlateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plate", abstract: "Make a clean plate out of a burst (the default command).",
    discussion: """
      Examples:
        cleanplate photos/*.jpg -o plate.jpg
        cleanplate photos/ -o plate.tif --depth 16 --crop reference
        cleanplate walk.mp4 --every 0.5s -o plate.jpg
        cleanplate photos/ -o plate.jpg --protect 1450,820 --foreground people.png
        cleanplate photos/ -o plate.jpg --take 3@1450,820 --remove 610,900
        cleanplate PXL_0421.MP.jpg --motion -o plate.jpg
        ffmpeg -i walk.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | cleanplate - -o plate.jpg
      """)

  @OptionGroup var arguments: BurstArguments
  @OptionGroup var choices: AlignmentChoices

  @Flag(
    help: """
      Free one photo of people by the video that a phone stored with it: a Motion Photo, or a Live Photo whose video lies \
      beside it.
      """)
  var motion = false

  @Option(help: "How the samples of a pixel become one.")
  var combine: CombineOperator = .clean

  @OptionGroup var cleaning: CleanChoices

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The plate; its suffix names the format. - is standard output.", valueName: "file"),
    completion: .file(), transform: path)
  var output: FilePath

  @Option(help: ArgumentHelp("The plate's format, where no suffix names it (default: jpg).", valueName: "suffix"))
  var format: FormatName?

  @OptionGroup var writing: OutputChoices

  @Option(
    help: ArgumentHelp(
      "A picture of about 1280 pixels that shows the plate while frames come in, refreshed with each.",
      valueName: "file"), completion: .file(), transform: path)
  var preview: FilePath?

  @Option(
    help: ArgumentHelp(
      "Where to write what was measured and decided, as JSON. - is standard output.", valueName: "file"),
    completion: .file(extensions: ["json"]), transform: path)
  var report: FilePath?

  func validate() throws {
    _ = try plateFormat(output, format)
    if output.isStandardOutput, report?.isStandardOutput == true {
      throw ValidationError("Plate and report cannot both go to standard output. Name a file for one of them.")
    }
    if let preview { _ = try outputFormat(preview) }
    if motion { try validateMotion() }
    guard cleaning.support == nil || combine == .clean else {
      throw ValidationError("--support goes with --combine clean: only it counts which frames back a pixel.")
    }
  }

  private func validateMotion() throws {
    guard arguments.burst.count == 1, arguments.burst != ["-"], (try? FileKind(arguments.burst[0])) != .folder else {
      throw ValidationError("--motion takes one photo with its video. Name its file alone.")
    }
    guard combine == .clean else {
      throw ValidationError("--motion goes with --combine clean: only it tells where the photo is free.")
    }
    guard choices.reference == .auto || choices.reference == .index(0) else {
      throw ValidationError("--motion draws the plate in the photo. Leave --reference out.")
    }
  }

  private var outputs: [FilePath] { [output, report, preview].compactMap(\.self) + cleaning.outputs }

  private var stages: [Stage] {
    [.decode, .register] + (combine == .clean ? [.select] : []) + [.stack]
      + (cleaning.foreground == nil ? [] : [.foreground]) + (cleaning.layers == nil ? [] : [.layers])
  }

  private var folders: [FilePath] {
    outputs.filter { !$0.isStandardOutput }.map(\.writeFolder) + [choices.keep].compactMap(\.self)
  }

  func run() async throws {
    let console = Console(
      arguments.talk, stages: stages, hasDetector: !choices.people.detector.files.isEmpty, outputs: outputs)
    try await reportingErrors(console, writingIn: folders) {
      let burst = try arguments.find(console, outputs: outputs)
      let photo = motion ? try burst.pictures?.first.map { try MotionPhoto($0) } : nil
      let edits = try cleaning.editing.read()
      let files = try OutputFiles(
        outputs: outputs, inputs: burst.files + (photo?.files ?? []) + choices.files + cleaning.editing.files(edits))
      try files.checkWritable()
      try await burst.checkIsOne(threads: arguments.talk.threadCount)
      let options = try choices.options(
        arguments, combine: combine, bits: writing.bits(for: try plateFormat(output, format)), strip: writing.strip,
        cleaning: cleaning, edits: cleaning.editing.plateEdits(edits), motion: motion, previews: preview != nil,
        digests: report != nil)
      writing.warnOfLostBits(try plateFormat(output, format), console: console)
      let inputs = try photo.map { try burst.inputs(of: $0, console) } ?? burst.inputs(console)
      let previewFile = try preview.map { try PreviewFile($0, quality: writing.quality, strip: writing.strip) }
      let result: PlateResult
      do {
        result = try await makePlate(from: inputs, options: options) { event in
          if case .preview(let picture) = event { previewFile?.show(picture) } else { console.show(event) }
        }
      } catch PlateError.tooFewInputs(let count) {
        if let photo = burst.pictures?.first, (try? MotionPhoto(photo)) != nil {
          console.note("\(photo.text) has a video: --motion makes a plate of the two")
        }
        throw PlateError.tooFewInputs(count)
      } catch PlateError.tooFewGoodFrames(let accepted, let rejected) {
        try await burst.checkIsOne(threads: arguments.talk.threadCount, without: Set(rejected.map(\.name)))
        throw PlateError.tooFewGoodFrames(accepted: accepted, rejected: rejected)
      }
      let leftOut = result.report.frames.indices.filter { !result.report.frames[$0].accepted }.map { inputs[$0].name }
      try await burst.checkIsOne(threads: arguments.talk.threadCount, without: Set(leftOut))
      try previewFile?.check()
      let encoding = writing.encoding(
        try plateFormat(output, format), threads: arguments.talk.threadCount, history: result.report.history)
      let bytes = try encode(result.plate, options: encoding)
      try writeResult(bytes, to: output)
      try cleaning.writePictures(of: result, writing, threads: arguments.talk.threadCount)
      if let report { try writeResult(result.report.json(), to: report) }
      if let photo, choices.crop == .reference, let words = result.report.wordsOfVideo(of: photo) {
        console.warn(words)
      }
      let lacksDetector = combine == .clean && choices.people.detector == .auto && result.report.detector == nil
      try console.finish(
        [
          closingLine(
            result, output: output.isStandardOutput ? "standard output" : output, lacksDetector: lacksDetector)
        ])
    }
  }
}
