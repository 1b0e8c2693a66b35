import ArgumentParser
import CleanPlate

/// The options of the clean operator.
struct CleanChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who tells where people stand: auto (the weights that Scripts/fetch-detector brought), off, or a weights file.",
      valueName: "auto|off|path"))
  var detector: DetectorOption = .auto

  @Option(
    help: ArgumentHelp(
      "What must come from the reference: a mask of its size (white = keep), or a point on somebody in it.",
      valueName: "mask|x,y"))
  var protect: ProtectArgument?

  @Option(help: ArgumentHelp("Where to write how many frames back each pixel, as a picture.", valueName: "file"))
  var support: String?

  func validate() throws {
    if let support { _ = try outputFormat(support) }
  }

  func protectedPlace() throws -> Protection? {
    switch protect {
    case nil: nil
    case .point(let point): .point(point)
    case .mask(let path): .mask(ProtectionMask(try decode(readFile(path, limit: 1 << 30), name: path)))
    }
  }

  func writePictures(of result: PlateResult) throws {
    guard let support, let picture = try result.plan?.supportPicture(crop: result.report.crop) else { return }
    try writeAtomically(encode(picture, options: EncodeOptions(format: outputFormat(support))), to: support)
  }
}

enum ProtectArgument: ExpressibleByArgument {
  case point(Point)
  case mask(path: String)

  init(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    if numbers.count == 2, let x = numbers[0], let y = numbers[1], x >= 0, y >= 0 {
      self = .point(Point(x: x, y: y))
    } else {
      self = .mask(path: argument)
    }
  }
}

extension DetectorOption: ExpressibleByArgument {
  public init(argument: String) {
    switch argument {
    case "auto": self = .auto
    case "off": self = .off
    default: self = .path(argument)
    }
  }
}
