import ArgumentParser
import CleanPlate

/// The options that say how pictures are written.
struct OutputChoices: ParsableArguments {
  @Option(help: ArgumentHelp("Quality of lossy formats, 1 to 100.", valueName: "q"))
  var quality = 95

  @Option(help: ArgumentHelp("Bits of a sample, where the format can: auto keeps the frames'.", valueName: "8|16|auto"))
  var depth: DepthChoice = .auto

  @Flag(
    help: """
      Write no metadata but the colour profile and, in plates, that cleanplate made them: no date, no place, no camera, no \
      names of files.
      """)
  var strip = false

  func validate() throws {
    guard (1...100).contains(quality) else {
      throw ValidationError("--quality takes a number from 1 to 100, not \(quality).")
    }
  }

  /// The bits in which samples must be combined so that the written file can hold what was asked for.
  func bits(for format: ImageFormat) -> Int? {
    depth == .sixteen && mostBits(format) > 8 ? 16 : nil
  }

  /// Says which bits a file cannot hold.
  func warnOfLostBits(_ format: ImageFormat, console: Console) {
    guard depth == .sixteen, mostBits(format) < 16 else { return }
    console.warn("\(format.rawValue) holds \(mostBits(format)) bits a sample, not the 16 of --depth; .png and .tif do")
  }

  private func mostBits(_ format: ImageFormat) -> Int { format.depths.last ?? 8 }

  /// - Parameters:
  ///   - threads: that one picture may be encoded on.
  ///   - history: what was done, one line; nil for none.
  func encoding(_ format: ImageFormat, threads: Int, history: String? = nil) -> EncodeOptions {
    EncodeOptions(
      format: format, quality: quality, depth: depth.depth, software: "cleanplate \(programVersion)",
      history: history, strip: strip, threads: threads)
  }
}

enum DepthChoice: String, ExpressibleByArgument, CaseIterable {
  case eight = "8"
  case sixteen = "16"
  case auto

  var depth: EncodeOptions.Depth {
    switch self {
    case .eight: .bits(8)
    case .sixteen: .bits(16)
    case .auto: .automatic
    }
  }
}
