import Frames
package import ShimSupport
import Synchronization

/// Finds people, vehicles and animals in pictures, by YOLOv3-tiny, and people by SSDLite, which finds more of them; and outlines
/// the people.
///
/// What it says is a hint: it decides between values that compete, and is asked only where frames disagree.
package final class Detector: Sendable {
  private let movers: MoverFinder
  private let people: PeopleFinder?
  private let outliner: Outliner?
  /// Workspaces that nobody uses, no more than there were tasks at once: fresh memory takes longer to get than to fill.
  private let idle = Mutex<[Workspace]>([])

  /// What a task looks with.
  struct Networks {
    let movers: LentFinder
    let people: LentFinder?
    let outliner: LentOutliner?
  }

  /// A network and memory that no other task uses meanwhile.
  struct LentFinder {
    fileprivate let finder: any Finder
    fileprivate let workspace: Workspace

    /// Who is found in R, G, B bytes without gaps.
    /// - Throws: `ShimError`.
    func find(in rgb: [UInt8], size: Size) throws(ShimError) -> [Detection] {
      try finder.find(in: rgb, size: size, workspace)
    }
  }

  /// A network that outlines people, and memory that no other task uses meanwhile.
  struct LentOutliner {
    fileprivate let outliner: Outliner
    fileprivate let workspace: Workspace

    /// Outlines people in R, G, B bytes without gaps.
    /// - Parameter window: where in a picture they are.
    /// - Throws: `ShimError`.
    func outline(_ rgb: [UInt8], window: Region) throws(ShimError) -> Outline {
      try outliner.outline(rgb, window: window, workspace)
    }
  }

  /// - Parameters:
  ///   - config: the layers of YOLOv3-tiny, Darknet's text file.
  ///   - weights: what it learned.
  ///   - people: a frozen TensorFlow graph of SSDLite with MobileNetV2 that knows people alone; nil for none.
  ///   - outlines: a TensorFlow Lite model of MediaPipe's selfie segmentation; nil for boxes alone.
  /// - Throws: `DetectorError` when the bytes are no network, or memory runs out.
  package init(
    config: [UInt8], weights: [UInt8], people: [UInt8]? = nil, outlines: [UInt8]? = nil
  ) throws(DetectorError) {
    movers = try DetectorError.attributed(to: .movers) { () throws(ShimError) in
      try MoverFinder(config: config, weights: weights)
    }
    self.people = try DetectorError.attributed(to: .people) { () throws(ShimError) in
      if let people { try PeopleFinder(graph: people) } else { nil }
    }
    outliner = try DetectorError.attributed(to: .outlines) { () throws(ShimError) in
      if let outlines { try Outliner(model: outlines) } else { nil }
    }
  }

  /// Whether it outlines people.
  var hasOutliner: Bool { outliner != nil }

  /// Lends `body` what no other task uses meanwhile.
  /// - Throws: `ShimError` when memory is missing, and what `body` throws.
  func withNetworks<Result>(_ body: (Networks) throws -> Result) throws -> Result {
    let workspace = try idle.withLock { $0.popLast() } ?? Workspace()
    defer { idle.withLock { $0.append(workspace) } }
    return try body(
      Networks(
        movers: LentFinder(finder: movers, workspace: workspace),
        people: people.map { LentFinder(finder: $0, workspace: workspace) },
        outliner: outliner.map { LentOutliner(outliner: $0, workspace: workspace) }))
  }
}

/// Why there is no detector: which of its networks cannot be had.
package struct DetectorError: Error, Equatable {
  /// What each of its files is about.
  package enum Network: Sendable {
    case movers, people, outlines
  }

  package let network: Network
  package let reason: ShimError

  package init(_ network: Network, _ reason: ShimError) {
    self.network = network
    self.reason = reason
  }

  fileprivate static func attributed<Result>(
    to network: Network, _ make: () throws(ShimError) -> Result
  ) throws(DetectorError) -> Result {
    do {
      return try make()
    } catch {
      throw DetectorError(network, error)
    }
  }
}
