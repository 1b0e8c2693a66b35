import ArgumentParser
import CleanPlate

/// The options of the clean operator.
struct CleanChoices: ParsableArguments {
  @OptionGroup var editing: EditChoices

  @Option(
    help: ArgumentHelp("Where to write how many frames back each pixel, as a picture.", valueName: "file"),
    completion: .file(), transform: path)
  var support: FilePath?

  @Option(
    help: ArgumentHelp(
      "Where to write everybody who was removed from the reference, cut out: a .png, .tif or .webp with transparency.",
      valueName: "file"), completion: .file(extensions: ["png", "tif", "webp"]), transform: path)
  var foreground: FilePath?

  @Option(
    help: ArgumentHelp(
      "Where to write the plate with what each frame shows of the places that were never free, as hidden layers: a .ora (GIMP, Krita).",
      valueName: "file"), completion: .file(extensions: ["ora"]), transform: path)
  var layers: FilePath?

  func validate() throws {
    if let layers, layers.extension?.lowercased() != "ora" {
      throw ValidationError("--layers: '\(layers.text)' is no OpenRaster file by its suffix. Use .ora.")
    }
    if let support { _ = try outputFormat(support) }
    if let foreground, try !outputFormat(foreground).holdsAlpha {
      throw ValidationError(
        "--foreground: '\(foreground.text)' would hold no transparency. Use a .png, .tif or .webp.")
    }
  }

  /// The pictures beside the plate.
  var outputs: [FilePath] { [support, foreground, layers].compactMap(\.self) }

  /// - Parameter threads: that one picture may be encoded on.
  func writePictures(of result: PlateResult, _ writing: OutputChoices, threads: Int) throws {
    if let support, let picture = try result.plan?.supportPicture(crop: result.report.crop) {
      let encoding = writing.encoding(
        try outputFormat(support), threads: threads, history: "support of \(result.report.history)")
      try writeAtomically(encode(picture, options: encoding), to: support)
    }
    if let layers, let pictures = result.layers {
      let encoding = writing.encoding(.png, threads: threads, history: result.report.history)
      try writeAtomically(pictures.openRaster(encoding), to: layers)
    }
    if let foreground, let people = result.foreground {
      let encoding = writing.encoding(
        try outputFormat(foreground), threads: threads, history: result.report.history)
      try writeAtomically(people.encoded(encoding), to: foreground)
    }
  }
}
