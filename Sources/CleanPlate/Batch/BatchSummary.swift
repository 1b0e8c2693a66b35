import Codecs
import Foundation
import Frames
import SystemPackage

extension BatchFolder {
  /// One burst of `batch.json`.
  private struct Row: Codable {
    var plate: String
    /// Its bytes, where the name is not Unicode.
    var plateBase64: String?
    /// `made`, `refused`, or `missing`: it was made, or was about to be, and is not there.
    var status: String
    var reason: String?
    var files: [String]
    /// The bytes of all of them, where one is not Unicode.
    var filesBase64: [String]?
    var digest: String?
    var report: Report?

    enum CodingKeys: String, CodingKey {
      case plate, status, reason, files, digest, report
      case plateBase64 = "plate_base64"
      case filesBase64 = "files_base64"
    }
  }

  private struct Table: Codable {
    var version = 1
    var program = programVersion
    var bursts: [Row]
  }

  /// Writes `batch.json` with what all runs into this folder have made so far.
  ///
  /// Another run may finish a plate meanwhile, and write its own before this one: so it is looked again until nothing has
  /// changed, and the last to write has seen all.
  /// - Throws: `FileError`.
  func writeSummary() throws {
    var written: [String: FileStamp]?
    while written != entryStamps() {
      let stamps = entryStamps()
      let rows = allEntries().values.sorted { $0.plate < $1.plate }.map { entry in
        Row(
          plate: entry.plate.readableName, plateBase64: entry.plate.nameBase64,
          status: entry.refusal != nil ? "refused" : holdsPlate(entry.plate) ? "made" : "missing",
          reason: entry.refusal,
          files: entry.inputs.map(\.path.readableName),
          filesBase64: entry.inputs.contains { $0.path.nameBase64 != nil }
            ? entry.inputs.map { Data($0.path.nameBytes).base64EncodedString() } : nil,
          digest: entry.digest, report: entry.report)
      }
      let bytes = try Table(bursts: rows).sortedJSON() + [UInt8(ascii: "\n")]
      if (try? readFile(summary)) != bytes { try writeAtomically(bytes, to: summary) }
      written = stamps
    }
  }

  private func entryStamps() -> [String: FileStamp] {
    let stamps = entryNames.compactMap { name in (try? FileStamp(entryPath(name))).map { (name, $0) } }
    return Dictionary(stamps) { first, _ in first }
  }
}
