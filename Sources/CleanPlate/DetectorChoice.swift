import Codecs
import Foundation
import Selection
import ShimSupport
public import SystemPackage

/// Whether a detector tells where people stand.
public enum DetectorOption: Sendable, Hashable {
  /// When the files that `Scripts/fetch-detector` brings are where it puts them; others there are not used.
  case auto
  case off
  /// By Darknet weights at this path; the `.cfg` of the same name lies beside them.
  case path(FilePath)

  /// Where `auto` looks.
  public static var folder: FilePath {
    // The XDG specification: relative paths and empty values count as unset.
    let data = environmentPath("XDG_DATA_HOME").flatMap { $0.isAbsolute ? $0 : nil }
    return (data ?? FilePath(NSHomeDirectory()).appending(".local/share")).appending("cleanplate")
  }

  /// The files that a run reads for it: weights and network. Empty where there is no detector.
  public var files: [FilePath] {
    switch self {
    case .off: []
    case .path(let weights): [weights, Self.config(of: weights)]
    case .auto:
      (try? openFile(Self.autoWeights).close()) == nil ? [] : [Self.autoWeights, Self.config(of: Self.autoWeights)]
    }
  }

  private static var autoWeights: FilePath { folder.appending(PinnedDetector.weights) }

  private static func config(of weights: FilePath) -> FilePath {
    var config = weights
    config.extension = "cfg"
    return config
  }

  /// The detector, or nil for none.
  /// - Throws: `PlateError.detectorUnusable` when a file that was named cannot be used.
  func load(_ clock: StageClock) throws(PlateError) -> Detector? {
    let files = files
    guard let weights = files.first, let config = files.last else {
      if self == .auto { clock.tell(.noDetector(folder: Self.folder)) }
      return nil
    }
    if self == .auto, let path = PinnedDetector.stranger(in: Self.folder) {
      clock.tell(.strangeDetector(path: path))
      return nil
    }
    do {
      // The network library opens them by itself, and would wait for ever at a pipe.
      for file in files { try openFile(file).close() }
      return try Detector(config: config, weights: weights)
    } catch let error as ShimError {
      throw .detectorUnusable(path: weights, reason: error.message)
    } catch let error as FileError {
      throw .detectorUnusable(path: error.path, reason: error.words)
    } catch {
      throw .detectorUnusable(path: weights, reason: "\(error)")
    }
  }
}

/// A path out of the environment; nil where it is unset or empty.
func environmentPath(_ name: String) -> FilePath? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return FilePath(platformString: value)
}
