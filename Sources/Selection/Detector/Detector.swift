import Frames
package import ShimSupport
import Synchronization
package import SystemPackage

/// Finds people, vehicles and animals in pictures, by YOLOv3-tiny, and people by SSDLite, which finds more of them.
///
/// What it says is a hint: it decides between values that compete, and is asked only where frames disagree.
package final class Detector: Sendable {
  private let movers: MoverNetworkFiles
  private let people: PeopleNetworkGraph?
  /// Networks that nobody uses, no more than there were tasks at once: to load them takes about as long as to look twice.
  private let idle: Mutex<[Networks]>

  /// What a task looks with.
  struct Networks: Sendable {
    let movers: Network
    let people: Network?

    fileprivate init(_ movers: MoverNetworkFiles, _ people: PeopleNetworkGraph?) throws(ShimError) {
      self.movers = try .movers(movers)
      self.people = try people?.network()
    }
  }

  /// - Parameters:
  ///   - config: the layers of YOLOv3-tiny, Darknet's text file.
  ///   - weights: what it learned.
  ///   - people: a frozen TensorFlow graph of SSDLite with MobileNetV2 that knows people alone; nil for none.
  /// - Throws: `ShimError` when the files cannot be read or are no network.
  package init(config: FilePath, weights: FilePath, people: [UInt8]? = nil) throws(ShimError) {
    movers = MoverNetworkFiles(config: config, weights: weights)
    self.people = if let people { try PeopleNetworkGraph(frozen: people) } else { nil }
    idle = Mutex([try Networks(movers, self.people)])
  }

  /// Lends `body` networks that no other task uses meanwhile.
  /// - Throws: `ShimError` when others are needed and cannot be loaded, and what `body` throws.
  func withNetworks<Result>(_ body: (Networks) throws -> Result) throws -> Result {
    let networks = try idle.withLock { $0.popLast() } ?? Networks(movers, people)
    defer { idle.withLock { $0.append(networks) } }
    return try body(networks)
  }
}
