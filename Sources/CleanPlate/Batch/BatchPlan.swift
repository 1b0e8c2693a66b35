import Codecs
import Foundation
import Frames
import SystemPackage

/// A burst and the name of its plate.
struct PlannedPlate: Sendable {
  let burst: PictureGroup
  let name: String
  let identity: [String]
}

extension BatchFolder {
  /// Gives every burst a name that no other has: the one that it had before, or else the template's, with a number behind it
  /// where that is taken by another burst's plate, or by a file that nobody made here.
  func plan(_ bursts: [PictureGroup], _ template: NameTemplate) -> [PlannedPlate] {
    // What lies here is looked at before the entries, since they are written before their plates.
    let files = Set(((try? folderEntries(path)) ?? []).map { FilePath(root: nil, [$0]).text })
    let entries = allEntries()
    var names: [String: String] = [:]
    for entry in entries.values.sorted(by: { $0.plate < $1.plate }) where entry.template == template.text {
      for identity in entry.identity where names[identity] == nil { names[identity] = entry.plate }
    }
    var taken = files.union(entries.keys)
    var planned: [PlannedPlate?] = bursts.map { burst in
      let identity = burst.identity
      guard let name = identity.lazy.compactMap({ names[$0] }).first, names.values.contains(name) else { return nil }
      for (key, value) in names where value == name { names[key] = nil }
      return PlannedPlate(burst: burst, name: name, identity: identity)
    }
    taken.formUnion(planned.compactMap { $0?.name })
    for (index, burst) in bursts.enumerated() where planned[index] == nil {
      var copy = 1
      var name = template.name(burst, number: index + 1, of: bursts.count)
      while taken.contains(name) {
        copy += 1
        name = template.name(burst, number: index + 1, of: bursts.count, copy: copy)
      }
      taken.insert(name)
      planned[index] = PlannedPlate(burst: burst, name: name, identity: burst.identity)
    }
    return planned.compactMap(\.self)
  }
}

extension PictureGroup {
  /// By which a burst is known when it is found again, the surest first: where its first picture lies; and, for a card that
  /// lies elsewhere now, that picture's name and length, and the time.
  var identity: [String] {
    let length = (try? fileByteCount(first)) ?? 0
    return ["path \(first.absolute.text)", "file \(first.nameWithoutSuffix) \(length) \(Int(start.rounded()))"]
  }
}

extension FilePath {
  /// The path from the root, without anything that leads back.
  var absolute: FilePath {
    guard !isAbsolute else { return lexicallyNormalized() }
    return FilePath(FileManager.default.currentDirectoryPath).pushing(self).lexicallyNormalized()
  }
}
