import Foundation
import Selection

/// Whether a detector tells where people stand.
public enum DetectorOption: Sendable, Hashable {
  /// When the files that `Scripts/fetch-detector` brings are where it puts them; others there are not used.
  case auto
  case off
  /// By Darknet weights at this path; the `.cfg` of the same name lies beside them.
  case path(String)

  /// Where `auto` looks.
  public static var folder: String {
    let environment = ProcessInfo.processInfo.environment
    // The XDG specification: relative paths and empty values count as unset.
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return "\(data ?? NSHomeDirectory() + "/.local/share")/cleanplate"
  }

  /// The detector, or nil for none.
  /// - Throws: `PlateError.detectorUnusable` when a file that was named cannot be used.
  func load(_ clock: StageClock) throws(PlateError) -> Detector? {
    let weights: String
    switch self {
    case .off: return nil
    case .path(let path): weights = path
    case .auto:
      weights = "\(Self.folder)/\(PinnedDetector.weights)"
      guard FileManager.default.isReadableFile(atPath: weights) else {
        clock.tell(.noDetector(folder: Self.folder))
        return nil
      }
      if let path = PinnedDetector.stranger(in: Self.folder) {
        clock.tell(.strangeDetector(path: path))
        return nil
      }
    }
    do {
      return try Detector(config: (weights as NSString).deletingPathExtension + ".cfg", weights: weights)
    } catch {
      throw .detectorUnusable(path: weights, reason: error.message)
    }
  }
}
