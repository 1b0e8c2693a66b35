import Frames
import ShimSupport

/// A network that finds somebody in pictures.
protocol Finder: Sendable {
  var network: Network { get }
  /// The byte that it sees as 0, and what it sees one more as.
  static var zero: Float { get }
  static var unit: Float { get }

  /// Pixels along the sides of what it sees of a window.
  func side(for window: Size) -> Int
  /// Boxes of at least a score.
  /// - Parameter side: pixels along the sides of what it saw.
  func boxes(_ answers: [Answer], side: Int, threshold: Float) -> [ScoredBox]
}

/// Scores from here on count: a hint may be wrong, since it only decides between rivals.
private let threshold: Float = 0.2
/// Boxes that overlap by more than this share show one thing.
private let sameThing: Float = 0.5
/// Boxes in a window.
private let mostBoxes = 256

extension Finder {
  /// Who is found in R, G, B bytes without gaps.
  /// - Throws: `ShimError`.
  func find(in rgb: [UInt8], size: Size, _ workspace: Workspace) throws(ShimError) -> [Detection] {
    let side = side(for: size)
    try workspace.fill(
      with: rgb, size: size, scaledTo: Size(width: side, height: side), zero: Self.zero, unit: Self.unit)
    try network.run(in: workspace)
    let found = workspace.withAnswers { boxes($0, side: side, threshold: threshold) }
    return surest(found.compactMap { $0.detection(in: size) }, overlap: sameThing, count: mostBoxes)
  }
}

/// YOLOv3-tiny, which finds people, vehicles and animals, or another network of Darknet's that does.
struct MoverFinder: Finder {
  let network: Network
  private let heads: [YoloHead]

  static let (zero, unit): (Float, Float) = (0, Float(1 / 255.0))

  /// Pixels along the sides of what it learned with, which is the most that it sees, and of the least.
  private static let (learned, least, step) = (416, 160, 32)

  /// - Parameters:
  ///   - config: its layers, Darknet's text file.
  ///   - weights: what it learned.
  /// - Throws: `ShimError` when they are no network.
  init(config: [UInt8], weights: [UInt8]) throws(ShimError) {
    let network = try DarknetNetwork(config: config, weights: weights)
    // Whatever it will be asked for is found out now.
    for side in stride(from: Self.least, through: Self.learned, by: Self.step) {
      _ = try network.layers.volumes(for: Volume(channels: 3, height: side, width: side))
    }
    self.network = try Network(network.layers, input: Volume(channels: 3, height: Self.learned, width: Self.learned))
    heads = network.heads
  }

  func side(for window: Size) -> Int { Self.side(for: window) }

  /// Twice what is there. What it costs grows with its square.
  static func side(for window: Size) -> Int {
    min(max((max(window.width, window.height) + 15) / 16 * step, least), learned)
  }

  func boxes(_ answers: [Answer], side: Int, threshold: Float) -> [ScoredBox] {
    zip(heads, answers).flatMap { $0.boxes($1, side: side, threshold: threshold) }
  }
}

/// SSDLite with MobileNetV2 (Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", CVPR 2018), which finds
/// people.
struct PeopleFinder: Finder {
  let network: Network

  static let (zero, unit): (Float, Float) = (127.5, Float(1 / 127.5))

  private static let learned = 300
  private static let input = "FeatureExtractor/MobilenetV2/MobilenetV2/input"
  /// Of each map: where boxes are, and who is there.
  private static let outputs = (0..<PeopleHeads.maps).flatMap { map in
    ["BoxEncodingPredictor", "ClassPredictor"].map { "BoxPredictor_\(map)/\($0)/BiasAdd" }
  }

  /// - Parameter graph: as it was published, with what only TensorFlow computes before and after the network.
  /// - Throws: `ShimError` when the bytes are another graph, or none.
  init(graph: [UInt8]) throws(ShimError) {
    let layers = try GraphNetwork(FrozenGraph(graph), outputs: Self.outputs, input: Self.input).layers
    let input = Volume(channels: 3, height: Self.learned, width: Self.learned)
    let volumes = try layers.volumes(for: input)
    for map in 0..<PeopleHeads.maps {
      let (offsets, scores) = (volumes[layers.outputs[2 * map]], volumes[layers.outputs[2 * map + 1]])
      let boxes = PeopleHeads.boxes(map: map)
      guard offsets.channels == 4 * boxes, scores.channels == 2 * boxes, offsets.height == scores.height,
        offsets.width == scores.width
      else { throw .noGraph("that answers something else") }
    }
    network = try Network(layers, input: input)
  }

  func side(for window: Size) -> Int { Self.learned }

  func boxes(_ answers: [Answer], side: Int, threshold: Float) -> [ScoredBox] {
    PeopleHeads.boxes(answers, threshold: threshold)
  }
}
