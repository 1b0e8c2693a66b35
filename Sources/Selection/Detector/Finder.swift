import Frames
import ShimSupport

/// A network that finds somebody in pictures.
protocol Finder: Sendable {
  var network: Network { get }
  /// The byte that it sees as 0, and what it sees one more as.
  static var zero: Float { get }
  static var unit: Float { get }

  /// Pixels of what it sees of a window.
  func seen(of window: Size) -> Size
  /// Boxes of at least a score.
  /// - Parameter seen: pixels of what it saw.
  func boxes(_ answers: [Answer], seen: Size, threshold: Float) -> [ScoredBox]
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
    let seen = seen(of: size)
    try workspace.fill(with: rgb, size: size, scaledTo: seen, zero: Self.zero, unit: Self.unit)
    try network.run(in: workspace)
    let found = workspace.withAnswers { boxes($0, seen: seen, threshold: threshold) }
    return surest(found.compactMap { $0.detection(in: size) }, overlap: sameThing, count: mostBoxes)
  }
}

/// YOLOv3-tiny, which finds people, vehicles and animals, or another network of Darknet's that does.
struct MoverFinder: Finder {
  let network: Network
  private let heads: [YoloHead]

  static let (zero, unit): (Float, Float) = (0, Float(1 / 255.0))

  /// Pixels along the sides of a square as large as what it sees at most, along the longer side of the least, and by how much
  /// sides differ. It has learned with 416; since another network finds people, plates are no better for that.
  private static let (square, least, step) = (352, 160, 32)
  /// How many times as long as the shorter side the longer one may be when it sees as much as of a square.
  private static let longest = 4.0
  /// A whole picture as most cameras take it: what a look at it needs is made ready early.
  private static let usual = Size(width: 800, height: 600)

  /// - Parameters:
  ///   - config: its layers, Darknet's text file.
  ///   - weights: what it learned.
  /// - Throws: `ShimError` when they are no network.
  init(config: [UInt8], weights: [UInt8]) throws(ShimError) {
    let network = try DarknetNetwork(config: config, weights: weights)
    // Whatever it will be asked for is found out now: sides are rounded up, and what is larger or smaller never comes.
    let most = Self.most(ratio: Self.longest)
    for height in stride(from: Self.step, through: most, by: Self.step) {
      for width in stride(from: Self.step, through: most, by: Self.step) {
        let (shorter, longer) = (min(height, width), max(height, width))
        guard longer >= Self.least, longer * (shorter - Self.step) < Self.square * Self.square else { continue }
        _ = try network.layers.volumes(for: Volume(channels: 3, height: height, width: width))
      }
    }
    let seen = Self.seen(of: Self.usual)
    self.network = try Network(network.layers, input: Volume(channels: 3, height: seen.height, width: seen.width))
    heads = network.heads
  }

  func seen(of window: Size) -> Size { Self.seen(of: window) }

  /// Twice what is there, in nearly the same shape. What it costs grows with its area.
  static func seen(of window: Size) -> Size {
    let longer = max(window.width, window.height, 1)
    let ratio = Double(longer) / Double(max(min(window.width, window.height), 1))
    let steps = min(max((longer + 15) / 16 * step, least), most(ratio: ratio)) / step
    func pixels(_ side: Int) -> Int { max((side * steps + longer - 1) / longer, 1) * step }
    return Size(width: pixels(window.width), height: pixels(window.height))
  }

  /// Pixels along the longer side of what it sees at most.
  private static func most(ratio: Double) -> Int {
    Int(Double(square) * min(ratio, longest).squareRoot()) / step * step
  }

  func boxes(_ answers: [Answer], seen: Size, threshold: Float) -> [ScoredBox] {
    zip(heads, answers).flatMap { $0.boxes($1, seen: seen, threshold: threshold) }
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

  func seen(of window: Size) -> Size { Size(width: Self.learned, height: Self.learned) }

  func boxes(_ answers: [Answer], seen: Size, threshold: Float) -> [ScoredBox] {
    PeopleHeads.boxes(answers, threshold: threshold)
  }
}
