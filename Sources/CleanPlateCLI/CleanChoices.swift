import ArgumentParser
import CleanPlate

/// The options of the clean operator.
struct CleanChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who tells where people stand: auto (the weights that fetch-detector brought), off, or a weights file.",
      valueName: "auto|off|path"), completion: .file(extensions: ["weights"]))
  var detector: DetectorOption = .auto

  @Option(
    help: ArgumentHelp(
      "What must come from the reference: a mask of its size (white = keep), or a point on somebody in it.",
      valueName: "mask|x,y"), completion: .file())
  var protect: ProtectArgument?

  @Option(
    help: ArgumentHelp("Where to write how many frames back each pixel, as a picture.", valueName: "file"),
    completion: .file(), transform: path)
  var support: FilePath?

  @Option(
    help: ArgumentHelp(
      "Where to write everybody who was removed from the reference, cut out: a .png, .tif or .webp with transparency.",
      valueName: "file"), completion: .file(extensions: ["png", "tif", "webp"]), transform: path)
  var foreground: FilePath?

  func validate() throws {
    if let support { _ = try outputFormat(support) }
    if let foreground, try !outputFormat(foreground).holdsAlpha {
      throw ValidationError(
        "--foreground: '\(foreground.text)' would hold no transparency. Use a .png, .tif or .webp.")
    }
  }

  /// The pictures beside the plate.
  var outputs: [FilePath] { [support, foreground].compactMap(\.self) }

  /// The files that are read beside the burst.
  var files: [FilePath] {
    if case .mask(let path) = protect { [path] + detector.files } else { detector.files }
  }

  func protectedPlace() throws -> Protection? {
    switch protect {
    case nil: nil
    case .point(let point): .point(point)
    case .mask(let path): .mask(ProtectionMask(try decode(readFile(path, limit: 1 << 30), name: path.text)))
    }
  }

  /// - Parameter threads: that one picture may be encoded on.
  func writePictures(of result: PlateResult, _ writing: OutputChoices, threads: Int) throws {
    if let support, let picture = try result.plan?.supportPicture(crop: result.report.crop) {
      let encoding = writing.encoding(
        try outputFormat(support), threads: threads, history: "support of \(result.report.history)")
      try writeAtomically(encode(picture, options: encoding), to: support)
    }
    if let foreground, let people = result.foreground {
      let encoding = writing.encoding(
        try outputFormat(foreground), threads: threads, history: result.report.history)
      try writeAtomically(people.encoded(encoding), to: foreground)
    }
  }
}

enum ProtectArgument: ExpressibleByArgument {
  case point(Point)
  case mask(path: FilePath)

  init(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    if numbers.count == 2, let x = numbers[0], let y = numbers[1], x >= 0, y >= 0 {
      self = .point(Point(x: x, y: y))
    } else {
      self = .mask(path: FilePath(text: argument))
    }
  }
}

extension DetectorOption: ExpressibleByArgument {
  public init(argument: String) {
    switch argument {
    case "auto": self = .auto
    case "off": self = .off
    default: self = .path(FilePath(text: argument))
    }
  }
}
