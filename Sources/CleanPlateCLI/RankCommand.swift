import ArgumentParser
import CleanPlate
import Foundation

struct RankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rank",
    abstract: "List the frames of a burst, sharpest first.",
    discussion: """
      The score is the variance of the Laplacian of downscaled luma, over what all frames show in common; frames \
      that cannot be registered are measured whole.
      """)

  @OptionGroup var arguments: BurstArguments

  @Flag(help: "Print the scores as JSON.")
  var json = false

  @Option(help: ArgumentHelp("A folder for the frames' Laplacian pictures; made if missing.", valueName: "dir"))
  var laplacian: String?

  func run() async throws {
    let console = Console(style: arguments.progress, verbose: arguments.verbose)
    try await reportingErrors(console) {
      let inputs = try arguments.inputs(console: console)
      if let laplacian { try makeFolder(laplacian) }
      let options = try Options(
        threads: arguments.threadCount, memory: arguments.memory?.bytes, acceptsDamaged: arguments.acceptDamaged)
      let ranking = try await rankFrames(of: inputs, options: options) { console.show($0) }
      if let laplacian {
        for frame in ranking {
          let path = "\(laplacian)/\(numbered("laplacian", frame.index, of: inputs.count)).png"
          try writeAtomically(try encode(frame.laplacian, options: EncodeOptions(format: .png)), to: path)
        }
      }
      console.close()
      print(json ? try self.json(ranking) : table(ranking))
    }
  }

  private func table(_ ranking: [RankedFrame]) -> String {
    ranking.map { frame in
      let score = frame.sharpness.formatted(decimals: 1)
      return String(repeating: " ", count: max(0, 9 - score.count)) + "\(score)  \(frame.name)"
    }.joined(separator: "\n")
  }

  private func json(_ ranking: [RankedFrame]) throws -> String {
    struct Row: Encodable {
      var index: Int
      var path: String
      var sharpness: Double
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let rows = ranking.map { Row(index: $0.index, path: $0.name, sharpness: $0.sharpness) }
    return String(decoding: try encoder.encode(rows), as: UTF8.self)
  }
}

/// `name_07`, with as many digits as the last of `count` needs and at least two.
func numbered(_ name: String, _ index: Int, of count: Int) -> String {
  let digits = max(2, String(max(count - 1, 0)).count)
  let number = String(index)
  return "\(name)_\(String(repeating: "0", count: max(0, digits - number.count)))\(number)"
}
