import CleanPlate
import Foundation

/// A session in a folder of its own: its frames as they came, `edits.json`, `report.json` and what it takes to go on.
struct KeptSession: Sendable, Codable {
  /// Of the form, 1.
  var version = 1
  var frames: [File]
  var recipe: StudioSession.Recipe
  var reference: Int?
  var date: Date

  struct File: Sendable, Codable {
    /// In the folder.
    var file: String
    /// As the page calls it.
    var name: String
    /// What it came from holds and it does not; nil for nothing.
    var lost: [String]?
  }

  static let fileName: FilePath.Component = "session.json"
  static let editsName: FilePath.Component = "edits.json"

  /// The sessions kept under a folder, the newest first.
  static func list(in parent: FilePath) -> [(id: UUID, date: Date, frames: Int)] {
    let names = (try? folderEntries(parent)) ?? []
    return names.compactMap { name in
      guard let id = UUID(uuidString: name.string), let kept = try? read(id, in: parent) else { return nil }
      return (id, kept.date, kept.frames.count)
    }.sorted { $0.date > $1.date }
  }

  static func read(_ id: UUID, in parent: FilePath) throws -> KeptSession {
    try read(parent.appending(id.uuidString))
  }

  static func read(_ folder: FilePath) throws -> KeptSession {
    let bytes = try readFile(folder.appending(fileName), limit: 4 << 20)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(KeptSession.self, from: Data(bytes))
  }

  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return Array(try encoder.encode(self))
  }
}

extension StudioSession {
  /// Keeps the session in a new folder, which appears when everything is in it; one that was kept already gets what has come since.
  func keep(under parent: FilePath) async throws -> FilePath {
    guard !members.isEmpty else { throw Refusal(.unprocessableContent, "There is nothing to keep.") }
    if let keptFolder {
      if !state.isKept {
        let kept = try KeptSession.read(keptFolder)
        try await write(to: keptFolder, after: kept.frames)
        update { $0.isKept = true }
      }
      return keptFolder
    }
    let unfinished = try UnfinishedFolder(in: parent)
    do {
      try await write(to: unfinished.path, after: [])
      let folder = try unfinished.finish(as: FilePath.Component(id.uuidString)!)
      keptFolder = folder
      update {
        $0.isKept = true
        $0.folder = folder.string
      }
      return folder
    } catch {
      unfinished.discard()
      throw error
    }
  }

  /// Writes frames that are not there yet, then what tells of all.
  private func write(to folder: FilePath, after known: [KeptSession.File]) async throws {
    var files = known
    var names = Set(known.map(\.file))
    for (index, member) in members.enumerated().dropFirst(known.count) {
      var name = member.fileName
      // Of several folders, two files may have one name.
      while !names.insert(name).inserted { name = "\(index + 1)_\(name)" }
      try writeAtomically(try readFile(member.path), to: folder.appending(name))
      let lost = member.lost.map(\.rawValue).sorted()
      files.append(KeptSession.File(file: name, name: member.shownName, lost: lost.isEmpty ? nil : lost))
    }
    let kept = KeptSession(frames: files, recipe: recipe, reference: state.plate?.reference, date: Date())
    try writeAtomically(try kept.json(), to: folder.appending(KeptSession.fileName))
    try writeAtomically(try keptEdits(files), to: folder.appending(KeptSession.editsName))
    if let desk {
      let report = await desk.report.naming(members) { files[$0].file }
      try writeAtomically(try report.json(), to: folder.appending("report.json"))
    }
  }

  private func keptEdits(_ files: [KeptSession.File]) throws -> [UInt8] {
    let edits = PlateEdits(history.list, reference: state.plate.map { .index($0.reference) })
    return try (members.renaming(edits) { .name(files[$0].file) } ?? edits).json()
  }

  /// Writes the edits of a session that is kept.
  func saveEdits() throws {
    guard let keptFolder else { return }
    let kept = try KeptSession.read(keptFolder)
    guard kept.frames.count == members.count else { return }
    try writeAtomically(try keptEdits(kept.frames), to: keptFolder.appending(KeptSession.editsName))
  }

  /// Takes over what is kept in a folder.
  func open(_ folder: FilePath, _ kept: KeptSession) throws {
    let new = try kept.frames.map { file in
      // What a file says is no path either.
      guard let name = FilePath.Component(file.file), name.kind == .regular else {
        throw Refusal(.unprocessableContent, "The session's folder is damaged.", "Open its pictures instead.")
      }
      return Member(
        path: folder.appending(name), shownName: file.name, lost: Set((file.lost ?? []).compactMap(Loss.init)))
    }
    keptFolder = folder
    take(new)
    update {
      $0.isKept = true
      $0.folder = folder.string
    }
    let bytes = try readFile(folder.appending(KeptSession.editsName), limit: limits.documentBytes)
    let edits = try PlateEdits(json: bytes, mask: noMask)
    restore(edits)
    // As before: a reference that is named is registered on in another way than the same one that is chosen.
    try develop(kept.recipe)
  }
}

/// Masks are pictures beside a file of edits, and nothing that comes from a page names a file.
func noMask(_ name: String) throws -> PlaceMask {
  throw Refusal(.unprocessableContent, "The page knows no masks.", "Use cleanplate --edits for those.")
}
