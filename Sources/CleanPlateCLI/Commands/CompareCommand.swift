import ArgumentParser
import CleanPlate
import Comparison
import Foundation

struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measure how far two pictures are apart.",
    discussion: """
      Differences are in levels of 255, over red, green and blue. Ends with 1 when more than --share of the pixels \
      differ by more than --tolerance. In the JSON of --json, psnr is null for identical pictures, and ssim for \
      pictures with a side under 11 pixels.

      Examples:
        cleanplate compare plate.png golden.png --tolerance 2
        cleanplate compare a.jpg b.jpg --json --diff differences.png
      """)

  @Argument(help: "A picture.", completion: .file(), transform: path)
  var first: FilePath

  @Argument(help: "A picture of the same size.", completion: .file(), transform: path)
  var second: FilePath

  @Option(help: ArgumentHelp("What a pixel may differ by, in levels of 255.", valueName: "levels"))
  var tolerance = 0.0

  @Option(help: ArgumentHelp("The share of pixels that may differ by more, 0 to 1.", valueName: "share"))
  var share = 0.0

  @Flag(help: "Print the figures as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp("Where to write a picture of the differences.", valueName: "file"), completion: .file(),
    transform: path)
  var diff: FilePath?

  func validate() throws {
    guard (0...255).contains(tolerance) else {
      throw ValidationError("--tolerance takes levels from 0 to 255, not \(tolerance).")
    }
    guard (0...1).contains(share) else { throw ValidationError("--share takes 0 to 1, not \(share).") }
    if let diff { _ = try outputFormat(diff) }
  }

  func run() async throws {
    let console = Console()
    let isWithin = try await reportingErrors(console, writingIn: [diff?.writeFolder].compactMap(\.self)) {
      if let diff { try OutputFiles(outputs: [diff], inputs: [first, second]).checkWritable() }
      let (a, b) = (try picture(first), try picture(second))
      if let diff {
        let heat = try heatPicture(a, b)
        try writeAtomically(try encode(heat, options: EncodeOptions(format: outputFormat(diff))), to: diff)
      }
      let difference = try compare(a, b, tolerance: tolerance)
      let isWithin = difference.isWithinTolerance(share: share)
      try console.result(json ? try difference.json(isWithin: isWithin).lines : difference.lines(isWithin: isWithin))
      return isWithin
    }
    if !isWithin { throw ExitCode(1) }
  }
}

/// Decodes one picture.
/// - Throws: `PictureError`, which names the file.
private func picture(_ path: FilePath) throws -> Frame {
  do {
    return try decode(try readFile(path), name: path.text, options: DecodeOptions())
  } catch let error as CodecError {
    throw PictureError(path: path, reason: error)
  }
}

/// A single picture that cannot be read.
struct PictureError: Error {
  let path: FilePath
  let reason: CodecError
}

extension PictureDifference {
  fileprivate func lines(isWithin: Bool) -> [String] {
    let noise = meanSquare == 0 ? "infinite" : "\(peakSignalToNoise.formatted(decimals: 2)) dB"
    let similarity = structuralSimilarity.map { $0.formatted(decimals: 5) } ?? "none, the pictures are too small"
    let beyond = (100 * shareBeyondTolerance).formatted(decimals: 4)
    return [
      "psnr       \(noise)",
      "ssim       \(similarity)",
      "mean       \(mean.formatted(decimals: 3)) levels",
      "largest    \(largest.formatted(decimals: 2)) levels",
      "beyond     \(beyond) % of pixels past \(tolerance.formatted(decimals: 2)) levels",
      "verdict    \(isWithin ? "within the tolerance" : "past the tolerance")",
    ]
  }

  fileprivate func json(isWithin: Bool) throws -> String {
    struct Figures: Encodable {
      /// Null when there is no noise.
      var psnr: Nullable
      var ssim: Nullable
      var identical: Bool
      var mean: Double
      var largest: Double
      var tolerance: Double
      var beyond: Double
      var within: Bool
    }
    let figures = Figures(
      psnr: Nullable(value: meanSquare == 0 ? nil : peakSignalToNoise), ssim: Nullable(value: structuralSimilarity),
      identical: meanSquare == 0, mean: mean, largest: largest, tolerance: tolerance, beyond: shareBeyondTolerance,
      within: isWithin)
    return String(decoding: try figures.sortedJSON(), as: UTF8.self)
  }
}

/// A number that is written as null when there is none; optional properties would be left out.
private struct Nullable: Encodable {
  var value: Double?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
