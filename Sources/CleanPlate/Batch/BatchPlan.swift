import Codecs
import Foundation
import Frames
import SystemPackage

/// A burst and the name of its plate.
struct PlannedPlate: Sendable {
  let burst: PictureGroup
  var name: String
  let identity: [String]
  /// From 1, of how many.
  let number: (Int, of: Int)
}

extension BatchFolder {
  /// Gives every burst a name that no other has: the one that it had before, or else the template's, with a number behind it
  /// where that is taken by another burst's plate, or by a file that nobody made here.
  func plan(_ bursts: [PictureGroup], _ template: NameTemplate) -> [PlannedPlate] {
    // What lies here is looked at before the entries, since they are written before their plates.
    let files = fileNames
    let entries = allEntries()
    var names: [String: String] = [:]
    for entry in entries.values.sorted(by: { $0.plate < $1.plate }) where entry.template == template.text {
      for identity in entry.identity where names[identity] == nil { names[identity] = entry.plate }
    }
    var taken = files.union(entries.keys)
    var planned: [PlannedPlate?] = bursts.enumerated().map { index, burst in
      let identity = burst.identity
      guard let name = identity.lazy.compactMap({ names[$0] }).first, names.values.contains(name) else { return nil }
      for (key, value) in names where value == name { names[key] = nil }
      return PlannedPlate(burst: burst, name: name, identity: identity, number: (index + 1, of: bursts.count))
    }
    taken.formUnion(planned.compactMap { $0?.name })
    for (index, burst) in bursts.enumerated() where planned[index] == nil {
      let number = (index + 1, of: bursts.count)
      let name = template.name(burst, number: number, without: taken)
      taken.insert(name)
      planned[index] = PlannedPlate(burst: burst, name: name, identity: burst.identity, number: number)
    }
    return planned.compactMap(\.self)
  }

  /// Whether another run has given the name to another burst since it was planned.
  func hasLostName(_ planned: PlannedPlate) -> Bool {
    guard let entry = entry(of: planned.name) else { return false }
    return Set(entry.identity).isDisjoint(with: planned.identity)
  }

  /// The same under a name that nobody has by now.
  /// - Parameter names: those of the other bursts that were planned.
  func renamed(_ planned: PlannedPlate, _ template: NameTemplate, besides names: Set<String>) -> PlannedPlate {
    var planned = planned
    planned.name = template.name(
      planned.burst, number: planned.number, without: names.union(fileNames).union(entryNames))
    return planned
  }
}

extension NameTemplate {
  /// The first of a burst's names that is not taken.
  fileprivate func name(_ burst: PictureGroup, number: (Int, of: Int), without taken: Set<String>) -> String {
    var copy = 1
    var name = name(burst, number: number.0, of: number.of)
    while taken.contains(name) {
      copy += 1
      name = self.name(burst, number: number.0, of: number.of, copy: copy)
    }
    return name
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
