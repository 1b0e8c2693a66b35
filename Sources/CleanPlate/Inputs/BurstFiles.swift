import Codecs
import Foundation
import Frames
public import SystemPackage

/// The picture files that a list of paths stands for.
public struct BurstFiles: Sendable, Equatable {
  /// Files as they were named; where a folder was named, its pictures in natural order: `2.jpg` before `10.jpg`.
  public var pictures: [FilePath]
  /// What lay in the folders and was passed over.
  public var skipped: [Skipped]

  /// Something in a folder that does not take part.
  public struct Skipped: Sendable, Hashable, Codable {
    /// Why.
    public enum Reason: Sendable, Hashable, Codable {
      case hidden, folder, notAPicture
      /// With a clause that says why: "it is damaged ...".
      case unreadable(why: String)
      /// A folder that another path has led to already: links may go in circles.
      case seenAlready
      /// A folder that was asked not to be looked at: the output's.
      case output
      /// A video, which is a burst by itself.
      case video
      case special(SpecialFile)
      /// Made by cleanplate out of frames.
      case plate
    }

    /// The folder's path and its own name.
    public var path: FilePath
    /// Why it takes no part.
    public var reason: Reason
  }

  /// Files stand for themselves, whatever they hold; folders stand for the pictures in them, told by content.
  /// A path that occurs twice counts once.
  /// - Throws: `BurstError`.
  public init(paths: [FilePath]) throws(BurstError) {
    var found: Set<FilePath> = []
    var ordered: [FilePath] = []
    var skipped: [Skipped] = []
    func take(_ path: FilePath) {
      if found.insert(path).inserted { ordered.append(path) }
    }
    for path in paths {
      switch try? FileKind(path) {
      case nil: throw .missing(path)
      case .special(let kind): throw .special(path, kind)
      case .file: take(path)
      case .folder:
        let (pictures, others) = try Self.pictures(in: path)
        guard !pictures.isEmpty else {
          throw .noPictures(folder: path, folders: others.count { $0.reason == .folder })
        }
        pictures.sorted(by: Self.naturalOrder).forEach(take)
        skipped += others
      }
    }
    pictures = ordered
    self.skipped = skipped.sorted { Self.naturalOrder($0.path, $1.path) }
  }

  /// Leaves plates out that are named among the files and are about to be made again, as when a glob hands over what an
  /// earlier run has written.
  /// - Parameter outputs: files that are going to be written.
  /// - Returns: the plates.
  public mutating func leaveOutPlates(madeAgainAs outputs: [FilePath]) -> [FilePath] {
    let identities = Set(outputs.compactMap { FileIdentity($0) })
    let plates = pictures.filter { path in
      FileIdentity(path).map(identities.contains) == true && PictureFacts.isPlate(path)
    }
    pictures.removeAll(where: plates.contains)
    return plates
  }

  private static func pictures(in folder: FilePath) throws(BurstError) -> ([FilePath], [Skipped]) {
    let names: [FilePath.Component]
    do {
      names = try folderEntries(folder)
    } catch {
      throw .unreadableFolder(folder, error)
    }
    var pictures: [FilePath] = []
    var skipped: [Skipped] = []
    for name in names {
      let path = folder.appending(name)
      if let reason = reasonToSkip(path, name: name) ?? (PictureFacts.isPlate(path) ? .plate : nil) {
        skipped.append(Skipped(path: path, reason: reason))
      } else {
        pictures.append(path)
      }
    }
    return (pictures, skipped)
  }

  /// Why something in a folder is no picture; nil for one.
  static func reasonToSkip(_ path: FilePath, name: FilePath.Component) -> Skipped.Reason? {
    if name.string.hasPrefix(".") { return .hidden }
    switch try? FileKind(path) {
    case .folder: return .folder
    case .special(let kind): return .special(kind)
    // What cannot be asked what it is cannot be read either, and that says why.
    case .file, nil: break
    }
    let head: [UInt8]
    do {
      head = try readHead(path)
    } catch {
      return .unreadable(why: error.words)
    }
    guard ImageFormat.sniff(head) == nil else { return nil }
    if VideoFormat.sniff(head) != nil { return .video }
    // What is called a photo and holds none is a broken one, as a copy that failed or a card that fails leave it.
    guard ImageFormat.forSuffix(name.extension ?? "") != nil else { return .notAPicture }
    let error: CodecError =
      head.isEmpty ? .empty(name: path.text) : .unrecognized(name: path.text, ForeignFormat.sniff(head))
    return .unreadable(why: error.words)
  }

  /// Runs of digits compare as numbers, letters without regard to case; ties by the plain order of the bytes.
  static func naturalOrder(_ a: FilePath, _ b: FilePath) -> Bool {
    switch a.text.compare(b.text, options: [.numeric, .caseInsensitive]) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: a.text.nameBytes.lexicographicallyPrecedes(b.text.nameBytes)
    }
  }
}

/// Why a list of paths is no burst.
public enum BurstError: Error, Sendable, Hashable {
  case missing(FilePath)
  /// Neither a file nor a folder; standard input is a burst only when it is asked for.
  case special(FilePath, SpecialFile)
  /// The error says why, and of which folder in it.
  case unreadableFolder(FilePath, FileError)
  /// Not itself; folders in it, so many of them, are not searched.
  case noPictures(folder: FilePath, folders: Int)
}
