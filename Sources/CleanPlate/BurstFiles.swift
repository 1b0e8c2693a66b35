import Codecs
import Foundation

/// The picture files that a list of paths stands for.
public struct BurstFiles: Sendable, Equatable {
  /// Files as they were named; where a folder was named, its pictures in natural order: `2.jpg` before `10.jpg`.
  public var pictures: [String]
  /// What lay in the folders and was passed over.
  public var skipped: [Skipped]

  /// Something in a folder that does not take part.
  public struct Skipped: Sendable, Hashable {
    /// Why.
    public enum Reason: Sendable, Hashable {
      case hidden, folder, notAPicture, unreadable
      /// Made by cleanplate out of frames.
      case plate
    }

    /// The folder's path and its own name.
    public var path: String
    /// Why it takes no part.
    public var reason: Reason
  }

  /// Files stand for themselves, whatever they hold; folders stand for the pictures in them, told by content.
  /// A path that occurs twice counts once.
  /// - Throws: `BurstError`.
  public init(paths: [String]) throws(BurstError) {
    var found: Set<String> = []
    var ordered: [String] = []
    var skipped: [Skipped] = []
    func take(_ path: String) {
      if found.insert(path).inserted { ordered.append(path) }
    }
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .missing(path) }
      guard isFolder.boolValue else {
        take(path)
        continue
      }
      let (pictures, others) = try Self.pictures(in: path)
      guard !pictures.isEmpty else { throw .noPictures(folder: path) }
      pictures.sorted(by: Self.naturalOrder).forEach(take)
      skipped += others
    }
    pictures = ordered
    self.skipped = skipped.sorted { Self.naturalOrder($0.path, $1.path) }
  }

  private static func pictures(in folder: String) throws(BurstError) -> ([String], [Skipped]) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw .unreadableFolder(folder)
    }
    var pictures: [String] = []
    var skipped: [Skipped] = []
    for name in names {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      if let reason = reasonToSkip(path, name: name) {
        skipped.append(Skipped(path: path, reason: reason))
      } else {
        pictures.append(path)
      }
    }
    return (pictures, skipped)
  }

  private static func reasonToSkip(_ path: String, name: String) -> Skipped.Reason? {
    if name.hasPrefix(".") { return .hidden }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return .unreadable }
    if isFolder.boolValue { return .folder }
    // A pipe or a device would block or never end.
    let type = try? FileManager.default.attributesOfItem(atPath: (path as NSString).resolvingSymlinksInPath)[.type]
    guard type as? FileAttributeType == .typeRegular else { return .notAPicture }
    guard let file = FileHandle(forReadingAtPath: path) else { return .unreadable }
    defer { try? file.close() }
    guard let head = try? file.read(upToCount: 64) else { return .unreadable }
    guard ImageFormat.sniff([UInt8](head)) != nil else { return .notAPicture }
    return PictureFacts.isPlate(path) ? .plate : nil
  }

  /// Runs of digits compare as numbers, letters without regard to case; ties by the plain order of the bytes.
  static func naturalOrder(_ a: String, _ b: String) -> Bool {
    switch a.compare(b, options: [.numeric, .caseInsensitive]) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: a.utf8.lexicographicallyPrecedes(b.utf8)
    }
  }
}

/// Why a list of paths is no burst.
public enum BurstError: Error, Sendable, Hashable {
  case missing(String)
  case unreadableFolder(String)
  case noPictures(folder: String)
}
