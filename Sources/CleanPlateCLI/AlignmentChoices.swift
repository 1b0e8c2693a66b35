import ArgumentParser
import CleanPlate

/// The options that say how frames are brought together.
struct AlignmentChoices: ParsableArguments {
  @Option(help: "Which motions between frames to expect.")
  var align: AlignmentModel = .homography

  @Option(
    help: ArgumentHelp(
      "The frame the plate is drawn in: auto, its number from 0, or its path.", valueName: "auto|n|path"))
  var reference: ReferenceOption = .auto

  @Option(help: "What the plate shows: what all frames have in common, or the whole reference.")
  var crop: CropMode = .common

  @Option(help: "Whether a residual mesh follows small parallax and rolling shutter.")
  var mesh: MeshChoice = .auto

  func options(threads: Int, combine: CombineOperator = .median) throws -> Options {
    try Options(
      align: align, combine: combine, reference: reference, crop: crop, mesh: mesh == .auto, threads: threads)
  }
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
      self = .name(argument)
    }
  }
}
