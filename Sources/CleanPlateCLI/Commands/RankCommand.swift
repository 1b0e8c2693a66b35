import ArgumentParser
import CleanPlate
import Codecs
import Foundation

struct RankCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rank",
    abstract: "List the frames of a burst, sharpest first.",
    discussion: """
      The score is the variance of the Laplacian of downscaled luma, over what all frames show in common; frames \
      that cannot be registered are measured whole.

      Examples:
        cleanplate rank photos/
        cleanplate rank photos/ --json
      """)

  @OptionGroup var arguments: BurstArguments

  @Flag(help: "Print the scores as JSON.")
  var json = false

  @Option(
    help: ArgumentHelp("A folder for the frames' Laplacian pictures; made if missing.", valueName: "dir"),
    completion: .directory, transform: path)
  var laplacian: FilePath?

  func run() async throws {
    let console = Console(arguments.talk, stages: [.decode, .register], isList: true)
    try await reportingErrors(console, writingIn: [laplacian].compactMap(\.self)) {
      let burst = try arguments.find(console)
      let inputs = try burst.inputs(console)
      let pictures = laplacian.map { laplacian in
        inputs.indices.map { laplacian.appending("\(numbered("laplacian", $0, of: inputs.count)).png") }
      }
      if let laplacian, let pictures {
        let files = try OutputFiles(outputs: pictures, inputs: burst.files)
        try makeFolder(laplacian)
        try files.checkWritable()
      }
      let options = try Options(
        threads: arguments.talk.threadCount, memory: arguments.memory?.bytes, acceptsDamaged: arguments.acceptDamaged)
      let ranking = try await rankFrames(of: inputs, options: options) { console.show($0) }
      if let pictures {
        for frame in ranking {
          try writeAtomically(
            try encode(frame.laplacian, options: EncodeOptions(format: .png, history: "laplacian")),
            to: pictures[frame.index])
        }
      }
      try console.result(json ? try self.json(ranking).lines : table(ranking))
    }
  }

  private func table(_ ranking: [RankedFrame]) -> [String] {
    ranking.map { frame in
      let score = frame.sharpness.formatted(decimals: 1)
      return String(repeating: " ", count: max(0, 9 - score.count)) + "\(score)  \(frame.name)"
    }
  }

  private func json(_ ranking: [RankedFrame]) throws -> String {
    struct Row: Encodable {
      var index: Int
      var path: String
      var pathBase64: String?
      var sharpness: Double

      enum CodingKeys: String, CodingKey {
        case index, path, sharpness
        case pathBase64 = "path_base64"
      }
    }
    let rows = ranking.map {
      Row(index: $0.index, path: $0.name.readableName, pathBase64: $0.name.nameBase64, sharpness: $0.sharpness)
    }
    return String(decoding: try rows.sortedJSON(), as: UTF8.self)
  }
}

/// `name_07`, with as many digits as the last of `count` needs and at least two.
func numbered(_ name: String, _ index: Int, of count: Int) -> String {
  let digits = max(2, String(max(count - 1, 0)).count)
  let number = String(index)
  return "\(name)_\(String(repeating: "0", count: max(0, digits - number.count)))\(number)"
}
