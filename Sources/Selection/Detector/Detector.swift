import CShimOpenCV
import Frames
package import ShimSupport
package import SystemPackage

/// Finds people, vehicles and animals in pictures: YOLOv3-tiny by its two Darknet files.
///
/// What it says is a hint: it decides between values that compete, and is asked only where frames disagree.
package struct Detector: Sendable {
  /// The network's layers, a text file.
  package let config: FilePath
  /// What it learned.
  package let weights: FilePath

  /// - Throws: `ShimError` when the files cannot be read or are no network.
  package init(config: FilePath, weights: FilePath) throws(ShimError) {
    self.config = config
    self.weights = weights
    _ = try Network(self)
  }
}

/// A loaded network; one task at a time, whichever.
final class Network: @unchecked Sendable {
  private let handle: OpaquePointer
  private static let capacity = 256
  /// Scores from here on count: a hint may be wrong, since it only decides between rivals.
  private static let threshold: Float = 0.2
  /// Pixels along the sides of what the network sees: twice what is there, at most those that it learned with. What it
  /// costs grows with their square.
  static func side(for size: Size) -> Int { min(max((max(size.width, size.height) + 15) / 16 * 32, 160), 416) }

  init(_ detector: Detector) throws(ShimError) {
    var made: OpaquePointer?
    try check(
      detector.config.withPlatformString { config in
        detector.weights.withPlatformString { cs_detector_create(config, $0, &made) }
      })
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no detector was made") }
    handle = made
  }

  deinit { cs_detector_free(handle) }

  /// Who is found in R, G, B bytes without gaps.
  /// - Throws: `ShimError`.
  func find(in rgb: [UInt8], size: Size) throws(ShimError) -> [Detection] {
    var found = [cs_detection](repeating: cs_detection(), count: Self.capacity)
    var count: Int32 = 0
    try check(
      cs_detector_find(
        handle, rgb, Int32(size.width), Int32(size.height), Int32(Self.side(for: size)), Self.threshold, &found,
        Int32(Self.capacity), &count))
    return found.prefix(Int(count)).map { found in
      Detection(
        box: Region(x: Int(found.x), y: Int(found.y), width: Int(found.width), height: Int(found.height)),
        score: found.score)
    }
  }
}
