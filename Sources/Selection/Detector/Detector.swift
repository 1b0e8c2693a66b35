import CShimOpenCV
import Frames
package import ShimSupport
import Synchronization
package import SystemPackage

/// Finds people, vehicles and animals in pictures: YOLOv3-tiny by its two Darknet files.
///
/// What it says is a hint: it decides between values that compete, and is asked only where frames disagree.
package final class Detector: Sendable {
  private let config: FilePath
  private let weights: FilePath
  /// Networks that nobody uses, no more than there were tasks at once: to load one takes about as long as to look twice.
  private let idle: Mutex<[Network]>

  /// - Parameters:
  ///   - config: the network's layers, a text file.
  ///   - weights: what it learned.
  /// - Throws: `ShimError` when the files cannot be read or are no network.
  package init(config: FilePath, weights: FilePath) throws(ShimError) {
    self.config = config
    self.weights = weights
    idle = Mutex([try Network(config: config, weights: weights)])
  }

  /// Lends `body` a network that no other task uses meanwhile.
  /// - Throws: `ShimError` when another one is needed and cannot be loaded, and what `body` throws.
  func withNetwork<Result>(_ body: (Network) throws -> Result) throws -> Result {
    let network = try idle.withLock { $0.popLast() } ?? Network(config: config, weights: weights)
    defer { idle.withLock { $0.append(network) } }
    return try body(network)
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

  init(config: FilePath, weights: FilePath) throws(ShimError) {
    var made: OpaquePointer?
    try check(
      config.withPlatformString { config in
        weights.withPlatformString { cs_detector_create(config, $0, &made) }
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
