import Codecs
import Foundation
import Frames
import Selection
import ShimSupport
public import SystemPackage

/// Whether a detector tells where people stand.
public enum DetectorOption: Sendable, Hashable {
  /// When the files that `fetchDetector` brings lie in one of `folders`; others there are not used.
  case auto
  case off
  /// By Darknet weights at this path; the `.cfg` of the same name lies beside them, and `ssdlite-people.pb`, the network that
  /// finds people alone, and `selfie-segmentation.tflite`, which outlines them, may.
  case path(FilePath)

  /// Where `fetchDetector` puts the files: a folder in the user's data (`XDG_DATA_HOME`, else `~/.local/share`).
  public static var folder: FilePath {
    // The XDG specification: relative paths and empty values count as unset.
    let data = environmentPath("XDG_DATA_HOME").flatMap { $0.isAbsolute ? $0 : nil }
    return (data ?? FilePath(NSHomeDirectory()).appending(".local/share")).appending(folderName)
  }

  /// Where `auto` looks, in this order: in the user's data, in the system's (`XDG_DATA_DIRS`, else `/usr/local/share` and
  /// `/usr/share`), and beside the program: in `share` next to its folder, and in its own.
  public static var folders: [FilePath] {
    let system = environmentPath("XDG_DATA_DIRS")?.text ?? "/usr/local/share:/usr/share"
    let data = system.split(separator: ":").map { FilePath(text: String($0)) }.filter(\.isAbsolute)
    let beside = programFolder.map { [$0.removingLastComponent().appending("share/\(folderName)"), $0] } ?? []
    return [folder] + data.map { $0.appending(folderName) } + beside
  }

  private static let folderName = "cleanplate"

  /// The files that a run may read for it. Empty where there is no detector.
  public var files: [FilePath] {
    switch self {
    case .off: []
    case .path(let weights): Self.files(of: weights)
    case .auto: Self.candidates.flatMap(Self.files)
    }
  }

  /// Weights of the right name.
  private static var candidates: [FilePath] {
    folders.map { $0.appending(PinnedDetector.weights) }.filter { (try? openFile($0).close()) != nil }
  }

  private static func files(of weights: FilePath) -> [FilePath] {
    [weights, config(of: weights), people(beside: weights), outlines(beside: weights)]
  }

  private static func config(of weights: FilePath) -> FilePath {
    var config = weights
    config.extension = "cfg"
    return config
  }

  private static func people(beside weights: FilePath) -> FilePath {
    weights.removingLastComponent().appending(PinnedDetector.people)
  }

  private static func outlines(beside weights: FilePath) -> FilePath {
    weights.removingLastComponent().appending(PinnedDetector.outlines)
  }

  /// A detector that is ready, and where its files lie.
  struct Loaded {
    let detector: Detector
    let files: Files
  }

  /// Where a detector was read from, and the SHA-256 of what was read.
  struct Files {
    /// Of the network that finds people, vehicles and animals.
    let weights: FilePath
    /// The network that finds people alone; nil where there is none.
    let people: FilePath?
    /// The network that outlines people; nil where there is none.
    let outlines: FilePath?
    /// Nil where nobody asked.
    let weightsDigest: String?
    let peopleDigest: String?
    let outlinesDigest: String?
  }

  /// The detector, or nil for none, and then what there is to tell of it.
  /// - Parameter digests: whether somebody asks for those of files that were named.
  /// - Throws: `PlateError` when a file that was named cannot be read or used; `ShimError` when memory runs out.
  func load(digests: Bool = false) throws -> (loaded: Loaded?, event: Event?) {
    switch self {
    case .off: return (nil, nil)
    case .path(let weights): return (try Self.load(weights, digests: digests), nil)
    case .auto:
      var stranger: Event?
      for weights in Self.candidates {
        let (files, strange) = PinnedDetector.contents(of: weights.removingLastComponent())
        if strange == nil {
          let loaded = try Self.load(weights, pinned: files)
          let isWhole = loaded.files.outlines != nil
          return (loaded, isWhole ? nil : .noOutlines(path: Self.outlines(beside: weights)))
        }
        stranger = stranger ?? strange.map { .strangeDetector(path: $0, Self.problem(with: $0)) }
      }
      return (nil, stranger ?? .noDetector(folders: Self.folders))
    }
  }

  /// Bytes of weights that are named: YOLOv3 has 250 million.
  private static let limit = 1 << 30

  /// Out of files that were named.
  private static func load(_ weights: FilePath, digests: Bool) throws -> Loaded {
    let contents: (config: [UInt8], learned: [UInt8], people: [UInt8]?, outlines: [UInt8]?)
    let files: Files
    do throws(FileError) {
      let learned = try readFile(weights, limit: Self.limit)
      let config = try readFile(config(of: weights), limit: PinnedDetector.limit)
      func mayBe(_ path: FilePath) throws(FileError) -> (path: FilePath, bytes: [UInt8])? {
        guard (try? openFile(path).close()) != nil else { return nil }
        return (path, try readFile(path, limit: PinnedDetector.limit))
      }
      let (people, outlines) = (try mayBe(people(beside: weights)), try mayBe(outlines(beside: weights)))
      func digest(_ bytes: [UInt8]?) -> String? { digests ? bytes.flatMap(sha256) : nil }
      contents = (config, learned, people?.bytes, outlines?.bytes)
      files = Files(
        weights: weights, people: people?.path, outlines: outlines?.path, weightsDigest: digest(learned),
        peopleDigest: digest(people?.bytes), outlinesDigest: digest(outlines?.bytes))
    } catch {
      throw PlateError.detectorUnreadable(error)
    }
    return Loaded(
      detector: try detector(contents.config, contents.learned, contents.people, contents.outlines, at: weights),
      files: files)
  }

  /// Out of files that were checked.
  private static func load(_ weights: FilePath, pinned files: [String: [UInt8]]) throws -> Loaded {
    let detector = try detector(
      files[PinnedDetector.config] ?? [], files[PinnedDetector.weights] ?? [], files[PinnedDetector.people],
      files[PinnedDetector.outlines], at: weights)
    let hasOutlines = files[PinnedDetector.outlines] != nil
    return Loaded(
      detector: detector,
      files: Files(
        weights: weights, people: people(beside: weights), outlines: hasOutlines ? outlines(beside: weights) : nil,
        weightsDigest: PinnedDetector.digest(of: PinnedDetector.weights),
        peopleDigest: PinnedDetector.digest(of: PinnedDetector.people),
        outlinesDigest: hasOutlines ? PinnedDetector.digest(of: PinnedDetector.outlines) : nil))
  }

  private static func detector(
    _ config: [UInt8], _ learned: [UInt8], _ people: [UInt8]?, _ outlines: [UInt8]?, at weights: FilePath
  ) throws -> Detector {
    do throws(DetectorError) {
      return try Detector(config: config, weights: learned, people: people, outlines: outlines)
    } catch {
      throw Self.error(error, weights: weights)
    }
  }

  /// What to tell: which file is no network, or that memory ran out, which is no file's fault.
  static func error(_ error: DetectorError, weights: FilePath) -> any Error {
    guard error.reason.kind != .outOfMemory else { return error.reason }
    let path =
      switch error.network {
      case .movers: weights
      case .people: people(beside: weights)
      case .outlines: outlines(beside: weights)
      }
    return PlateError.detectorUnusable(path: path, reason: error.reason.message)
  }

  /// Why a file that belongs to the detector cannot be read; nil where it can, and is another one.
  private static func problem(with path: FilePath) -> FileError? {
    do throws(FileError) {
      _ = try readHead(path)
      return nil
    } catch {
      return error
    }
  }
}

/// The folder of the program that runs; nil where the system does not tell.
public var programFolder: FilePath? {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { name in
    let length = readlink("/proc/self/exe", name.baseAddress!, name.count - 1)
    guard length > 0 else { return nil }
    name[length] = 0
    return FilePath(platformString: name.baseAddress!).removingLastComponent()
  }
}

/// A path out of the environment; nil where it is unset or empty.
func environmentPath(_ name: String) -> FilePath? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return FilePath(platformString: value)
}
