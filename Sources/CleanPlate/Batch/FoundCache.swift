import Codecs
import Foundation
import Frames
import SystemPackage

/// Groups that a search has found, kept beside the plates: many runs share one card, and a run that was killed comes again.
struct FoundCache: Codable {
  /// Of the files and the options of the search.
  var key: String
  var groups: [PictureGroup]
  var skipped: [BurstFiles.Skipped]

  /// - Parameter files: what the card holds now.
  static func key(_ files: CardFiles, _ search: BurstSearch) throws -> String {
    var lines = [
      programVersion,
      "\(search.gap) \(search.atLeast) \(search.maxFrames) \(search.usesBrackets) \(search.acceptsDamaged)",
    ]
    for path in files.pictures {
      // A file that has gone is told from one that is there.
      let stamp = try? FileStamp(path)
      lines.append("\(path.absolute.text) \(stamp?.byteCount ?? -1) \(stamp?.written ?? 0) \(stamp?.changed ?? 0)")
    }
    return sha256(Array(lines.joined(separator: "\n").utf8)) ?? ""
  }

  /// Nil where there is none, or one of other files.
  static func read(_ path: FilePath, key: String) -> FoundCache? {
    guard let bytes = try? readFile(path, limit: 1 << 30),
      let cache = try? JSONDecoder().decode(FoundCache.self, from: Data(bytes)), cache.key == key
    else { return nil }
    return cache
  }

  func write(to path: FilePath) throws { try writeAtomically(sortedJSON(spread: false), to: path) }
}

extension BatchFolder {
  /// What the folders hold: as it was found before, or searched for now, by one of the runs that want to know.
  func find(
    _ paths: [FilePath], _ search: BurstSearch, keeps: Bool, _ onProgress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> FoundPictures {
    var files = try CardFiles(paths: paths, except: path)
    // Plates that were written without metadata do not say what they are.
    files.skip(plates: Set(entryNames.compactMap { FileIdentity(plate($0)) }))
    let key = try FoundCache.key(files, search)
    func known() -> FoundPictures? {
      FoundCache.read(found, key: key).map { FoundPictures(groups: $0.groups, skipped: $0.skipped) }
    }
    if let known = known() { return known }
    guard keeps else {
      return try await Card(files.pictures, skipped: files.skipped, search).groups(search, onProgress)
    }
    while true {
      guard let claim = try Claim.take("search", in: claims) else {
        try await Task.sleep(for: .milliseconds(500))
        if let known = known() { return known }
        continue
      }
      defer { claim.release() }
      if let known = known() { return known }
      let result = try await Card(files.pictures, skipped: files.skipped, search).groups(search, onProgress)
      try FoundCache(key: key, groups: result.groups, skipped: result.skipped).write(to: found)
      return result
    }
  }
}
