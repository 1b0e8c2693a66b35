import Codecs
import Foundation
import Frames
import SystemPackage

/// A folder of plates, and beside them, hidden, what is known of them.
struct BatchFolder: Sendable {
  let path: FilePath

  private var state: FilePath { path.appending(".cleanplate-batch") }
  var entries: FilePath { state.appending("entries") }
  var claims: FilePath { state.appending("claims") }
  /// What a search of folders has found.
  var found: FilePath { state.appending("found.json") }
  var summary: FilePath { path.appending("batch.json") }

  /// Bytes of a plate's name, so that its entry's name is one that Linux allows.
  static let longestName = 255 - ".json".utf8.count

  func plate(_ name: String) -> FilePath { path.appending(FilePath(text: name).components) }
  func entryPath(_ name: String) -> FilePath { entries.appending(FilePath(text: "\(name).json").components) }

  /// - Throws: `FileError.cannotCreate`.
  func make() throws {
    for folder in [path, entries, claims] { try makeFolder(folder) }
    for folder in [path, entries, claims, state] { removeAbandonedTemporaries(in: folder) }
  }

  /// Nil for none, and for one that cannot be read.
  func entry(of name: String) -> BatchEntry? { try? BatchEntry(entryPath(name)) }

  /// What lies in the folder itself: plates, and what others have put there.
  var fileNames: Set<String> { Set(Self.names(in: path)) }

  /// None of a folder that cannot be read.
  private static func names(in folder: FilePath) -> [String] {
    ((try? folderEntries(folder)) ?? []).map { FilePath(root: nil, [$0]).text }
  }

  /// Of plates, made or refused.
  var entryNames: [String] {
    Self.names(in: entries)
      .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { String($0.dropLast(".json".count)) }
  }

  /// All there are, by their plates' names.
  func allEntries() -> [String: BatchEntry] {
    Dictionary(entryNames.compactMap { entry(of: $0) }.map { ($0.plate, $0) }) { first, _ in first }
  }

  /// Whether something lies where a plate would.
  func isTaken(_ name: String) -> Bool { (try? FileKind(plate(name))) != nil }

  /// Whether a plate lies there, or what somebody has made of it: a file without a byte is what a copy that failed leaves.
  func holdsPlate(_ name: String) -> Bool { (try? fileByteCount(plate(name))) ?? 0 > 0 }

  func write(_ entry: BatchEntry) throws { try writeAtomically(entry.json(), to: entryPath(entry.plate)) }

  /// Nil where there is no plate.
  func digestOfPlate(_ name: String) -> String? {
    holdsPlate(name) ? (try? readFile(plate(name))).flatMap(sha256) : nil
  }
}
