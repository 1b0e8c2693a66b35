import ArgumentParser
import CleanPlate

/// Who sees people: asked where `clean` chooses, and, whatever the operator is, where a crowd may have led frames away.
struct DetectorChoices: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who tells where people stand: auto (the weights that fetch-detector brought), off, or a weights file.",
      valueName: "auto|off|path"), completion: .file(extensions: ["weights"]))
  var detector: DetectorOption = .auto
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
