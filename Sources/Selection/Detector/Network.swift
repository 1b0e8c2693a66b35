import CShimOpenCV
import Frames
import ShimSupport
import SystemPackage

/// A loaded network; one task at a time, whichever.
final class Network: @unchecked Sendable {
  private let handle: OpaquePointer
  /// Pixels along the sides of what it sees of a window.
  private let side: @Sendable (Size) -> Int
  private static let capacity = 256
  /// Scores from here on count: a hint may be wrong, since it only decides between rivals.
  private static let threshold: Float = 0.2

  fileprivate init(
    side: @escaping @Sendable (Size) -> Int, create: (inout OpaquePointer?) -> cs_status
  ) throws(ShimError) {
    var made: OpaquePointer?
    try check(create(&made))
    guard let made else { throw ShimError(kind: .libraryFailure, message: "no detector was made") }
    handle = made
    self.side = side
  }

  deinit { cs_detector_free(handle) }

  /// Who is found in R, G, B bytes without gaps.
  /// - Throws: `ShimError`.
  func find(in rgb: [UInt8], size: Size) throws(ShimError) -> [Detection] {
    var found = [cs_detection](repeating: cs_detection(), count: Self.capacity)
    var count: Int32 = 0
    try check(
      cs_detector_find(
        handle, rgb, Int32(size.width), Int32(size.height), Int32(side(size)), Self.threshold, &found,
        Int32(Self.capacity), &count))
    return found.prefix(Int(count)).map { found in
      Detection(
        box: Region(x: Int(found.x), y: Int(found.y), width: Int(found.width), height: Int(found.height)),
        score: found.score)
    }
  }
}

/// YOLOv3-tiny, which finds people, vehicles and animals, by its two Darknet files.
struct MoverNetworkFiles: Sendable {
  /// The network's layers, a text file.
  let config: FilePath
  /// What it learned.
  let weights: FilePath
}

extension Network {
  /// Pixels along the sides of what YOLO sees: twice what is there, at most those that it learned with. What it costs grows
  /// with their square.
  static func moverSide(for size: Size) -> Int { min(max((max(size.width, size.height) + 15) / 16 * 32, 160), 416) }

  /// - Throws: `ShimError` when the files cannot be read or are no network.
  static func movers(_ files: MoverNetworkFiles) throws(ShimError) -> Network {
    try Network(side: moverSide) { made in
      files.config.withPlatformString { config in
        files.weights.withPlatformString { cs_detector_create_yolo(config, $0, &made) }
      }
    }
  }
}

/// SSDLite with MobileNetV2, which finds people.
struct PeopleNetworkGraph: Sendable {
  /// What OpenCV can compute of it.
  private let graph: [UInt8]

  private static let learned = 300
  private static let input = "FeatureExtractor/MobilenetV2/MobilenetV2/input"
  /// Of each map: where boxes are, and who is there.
  private static let heads = (0..<6).flatMap { map in
    ["BoxEncodingPredictor", "ClassPredictor"].map { "BoxPredictor_\(map)/\($0)" }
  }

  /// - Parameter frozen: the graph as it was published, with what only TensorFlow computes before and after the network.
  /// - Throws: `ShimError` when the bytes are another graph, or none.
  init(frozen: [UInt8]) throws(ShimError) {
    graph = try FrozenGraph(frozen).cut(
      to: Self.heads.map { "\($0)/BiasAdd" }, from: Self.input, shape: [1, Self.learned, Self.learned, 3])
  }

  /// - Throws: `ShimError` when it cannot be computed.
  func network() throws(ShimError) -> Network {
    // OpenCV calls a convolution and the offset after it by the convolution.
    let outputs = Self.heads.map { "\($0)/Conv2D" }.joined(separator: "\n")
    let create = { (made: inout OpaquePointer?) in
      cs_detector_create_ssdlite(graph, graph.count, outputs, &made)
    }
    return try Network(side: { _ in Self.learned }, create: create)
  }
}
