import CleanPlate
import Foundation

/// One frame of a session, in a file of its own.
struct Member: Sendable {
  let path: FilePath
  /// What the page calls it: what it was called where it came from.
  let shownName: String
  /// What it came from holds and its file does not.
  let lost: Set<Loss>

  /// - Parameter name: nil for the file's own.
  init(path: FilePath, shownName name: String? = nil, lost: Set<Loss> = []) {
    self.path = path
    self.lost = lost
    shownName = name ?? path.lastComponent?.string ?? path.text
  }

  /// What edits call it in files.
  var fileName: String { path.lastComponent?.string ?? path.text }
}

extension [Member] {
  /// Words about frames, called as the page calls them: where their files lie is nobody's business there.
  func naming(_ words: String) -> String { naming(words) { self[$0].shownName } }

  fileprivate func naming(_ words: String, _ name: (Int) -> String) -> String {
    indices.reduce(words) { $0.replacingOccurrences(of: self[$1].path.text, with: name($1)) }
  }

  /// The frame that a key names: by number, by its file's name, or as the page calls it; nil where that is not clear.
  func index(of key: FrameKey) -> Int? {
    switch key {
    case .index(let index): return indices.contains(index) ? index : nil
    case .name(let name):
      let last = FilePath(name).lastComponent?.string ?? name
      for names in [map(\.fileName), map(\.shownName)] where names.count(where: { $0 == last }) == 1 {
        return names.firstIndex(of: last)
      }
      return nil
    }
  }

  /// How a file of edits names a frame.
  /// - Parameter shown: whether for somebody who has the files as they were called where they came from.
  func key(of index: Int, shown: Bool) -> FrameKey {
    let name = shown ? self[index].shownName : self[index].fileName
    let isUnique = count { (shown ? $0.shownName : $0.fileName) == name } == 1
    return isUnique ? .name(name) : .index(index)
  }

  /// The edits with every frame named in one way.
  /// - Parameter key: nil where a frame is not known.
  func renaming(_ edits: PlateEdits, _ key: (Int) -> FrameKey) -> PlateEdits? {
    var isKnown = true
    func renamed(_ old: FrameKey) -> FrameKey {
      guard let index = index(of: old) else {
        isKnown = false
        return old
      }
      return key(index)
    }
    var result = edits
    result.reference = edits.reference.map(renamed)
    result.list = edits.list.map { edit in
      switch edit {
      case .take(let frame, let place): .take(renamed(frame), place)
      case .remove(let place, let frame): .remove(place, from: frame.map(renamed))
      case .keep(let place): .keep(place)
      }
    }
    return isKnown ? result : nil
  }
}

extension Report {
  /// The same with every frame called in one way, also where another's reason speaks of it.
  func naming(_ members: [Member], _ name: (Int) -> String) -> Report {
    var report = self
    for index in report.frames.indices {
      report.frames[index].path = name(report.frames[index].index)
      report.frames[index].pathBase64 = nil
      report.frames[index].reason = report.frames[index].reason.map { members.naming($0, name) }
    }
    return report
  }
}
