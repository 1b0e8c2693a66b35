import Codecs
import Frames
import SystemPackage

/// The picture files of folders and of the folders in them, as a camera's card has them.
struct CardFiles {
  private(set) var pictures: [FilePath] = []
  private(set) var skipped: [BurstFiles.Skipped] = []
  private var seen: Set<FileIdentity> = []
  private let output: FileIdentity?

  /// - Parameters:
  ///   - paths: folders, which are searched to any depth, and files, which stand for themselves.
  ///   - output: a folder that is not looked into, unless it is named itself.
  /// - Throws: `BurstError` for a path that is not there, `CancellationError`.
  init(paths: [FilePath], except output: FilePath? = nil) throws {
    let output = output.flatMap { FileIdentity($0) }
    // Who names it wants it searched.
    self.output = paths.contains { FileIdentity($0) == output } ? nil : output
    for path in paths {
      switch try? FileKind(path) {
      case nil: throw BurstError.missing(path)
      case .special(let kind): throw BurstError.special(path, kind)
      case .file: take(path)
      case .folder:
        do {
          try search(path)
        } catch let error as FileError {
          throw BurstError.unreadableFolder(path, error)
        }
      }
    }
    skipped.sort { BurstFiles.naturalOrder($0.path, $1.path) }
  }

  /// Leaves files out that are known to be plates.
  mutating func skip(plates: Set<FileIdentity>) {
    let found = pictures.filter { path in FileIdentity(path).map(plates.contains) ?? false }
    pictures.removeAll(where: found.contains)
    skipped += found.map { BurstFiles.Skipped(path: $0, reason: .plate) }
  }

  /// One file has one place, whatever leads to it.
  private mutating func take(_ path: FilePath) {
    if let identity = FileIdentity(path), seen.insert(identity).inserted { pictures.append(path) }
  }

  private mutating func search(_ folder: FilePath) throws {
    try Task.checkCancellation()
    guard let identity = FileIdentity(folder) else { return }
    guard identity != output else { return skip(folder, .output) }
    guard seen.insert(identity).inserted else { return skip(folder, .seenAlready) }
    let names = try folderEntries(folder).sorted {
      BurstFiles.naturalOrder(FilePath(root: nil, [$0]), FilePath(root: nil, [$1]))
    }
    for name in names {
      let path = folder.appending(name)
      switch BurstFiles.reasonToSkip(path, name: name) {
      case nil: take(path)
      case .folder:
        do {
          try search(path)
        } catch let error as FileError {
          skip(path, .unreadable(why: error.words))
        }
      case let reason?: skip(path, reason)
      }
    }
  }

  private mutating func skip(_ path: FilePath, _ reason: BurstFiles.Skipped.Reason) {
    skipped.append(BurstFiles.Skipped(path: path, reason: reason))
  }
}
