import CleanPlate
import Foundation

/// The files that a command is going to write, checked against its inputs before any work starts.
struct OutputFiles {
  private let outputs: [String]

  /// - Parameter named: what the user named as inputs, such as a video whose frames know no path any more.
  /// - Throws: `OutputError` when an output is an input, or two outputs are one file.
  init(outputs: [String], inputs: [Input], named: [String] = []) throws(OutputError) {
    self.outputs = outputs
    let sources = Set((inputs.compactMap(\.path) + named).map(Self.identity))
    var seen: Set<String> = []
    for output in outputs {
      let identity = Self.identity(output)
      if sources.contains(identity) { throw .isInput(output) }
      if !seen.insert(identity).inserted { throw .twice(output) }
    }
  }

  /// - Throws: `OutputError` when a folder is missing or closed to writing.
  func checkWritable() throws(OutputError) {
    for output in outputs {
      let folder = (output as NSString).deletingLastPathComponent
      let parent = folder.isEmpty ? "." : folder
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: parent, isDirectory: &isFolder), isFolder.boolValue else {
        throw .noFolder(output: output, folder: parent)
      }
      if FileManager.default.fileExists(atPath: output, isDirectory: &isFolder), isFolder.boolValue {
        throw .isFolder(output)
      }
      guard access(parent, W_OK) == 0 else { throw .closedFolder(output: output, folder: parent) }
    }
  }

  /// The same for all names of one file: its device and inode where it exists, else its resolved path.
  private static func identity(_ path: String) -> String {
    var information = stat()
    if stat(path, &information) == 0 { return "\(information.st_dev):\(information.st_ino)" }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }
}

/// Why an output cannot be written where it was asked for.
enum OutputError: Error, Hashable {
  case isInput(String)
  case twice(String)
  case noFolder(output: String, folder: String)
  case closedFolder(output: String, folder: String)
  case isFolder(String)
  case cannotMakeFolder(String)
}
