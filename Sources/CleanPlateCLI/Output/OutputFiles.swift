import CleanPlate
import Codecs
import Foundation

/// The files that a command is going to write, checked against what it reads before any work starts.
struct OutputFiles {
  private let outputs: [FilePath]

  /// - Parameter inputs: every file that is read.
  /// - Throws: `OutputError` when an output is an input, or two outputs are one file.
  init(outputs: [FilePath], inputs: [FilePath]) throws(OutputError) {
    self.outputs = outputs
    let sources = Set(inputs.compactMap { $0 == "-" ? FileIdentity(.standardInput) : FileIdentity($0) })
    var seen: Set<FileIdentity> = []
    for output in outputs {
      let file = output.isStandardOutput ? FileIdentity(.standardOutput) : FileIdentity(output)
      guard let identity = file else { continue }
      if sources.contains(identity) { throw .isInput(output) }
      if !seen.insert(identity).inserted { throw .twice(output) }
    }
  }

  /// - Throws: `OutputError` when a folder is missing or closed to writing.
  func checkWritable() throws(OutputError) {
    for output in outputs where !output.isStandardOutput {
      let folder = output.writeFolder
      switch try? FileKind(folder) {
      case .folder: break
      case nil: throw .noFolder(output: output, folder: folder)
      case .file, .special: throw .notAFolder(output: output, folder: folder)
      }
      switch try? FileKind(output) {
      case .folder: throw .isFolder(output)
      case .special: continue
      case .file, nil: break
      }
      guard folder.withPlatformString({ access($0, W_OK) }) == 0 else {
        throw .closedFolder(output: output, folder: folder)
      }
    }
  }
}

/// Why an output cannot be written where it was asked for.
enum OutputError: Error, Hashable {
  case isInput(FilePath)
  case twice(FilePath)
  case noFolder(output: FilePath, folder: FilePath)
  case notAFolder(output: FilePath, folder: FilePath)
  case closedFolder(output: FilePath, folder: FilePath)
  case isFolder(FilePath)
}
