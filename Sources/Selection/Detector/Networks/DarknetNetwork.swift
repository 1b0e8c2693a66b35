import ShimSupport

/// A network of Darknet's (Redmon, "Darknet: Open Source Neural Networks in C"): a text file of layers, and a file of what they
/// learned.
struct DarknetNetwork {
  private(set) var layers: NetworkLayers
  /// What the network's outputs say, in their order.
  private(set) var heads: [YoloHead] = []
  /// Of every section; nil for what answers.
  private var results: [Int?] = []
  private var weights: DarknetWeights
  /// By result.
  private var channels: [Int]

  /// Samples along the sides of windows, and from one to the next.
  private static let sides = 1...100
  /// Channels that inputs have together.
  private static let mostChannels = 1 << 20

  /// - Throws: `ShimError` when the files are no network, or one with something that is unknown here.
  init(config: [UInt8], weights: [UInt8]) throws(ShimError) {
    let sections = try DarknetSection.all(in: config)
    guard let net = sections.first, net.kind == "net" else { throw .noNetwork("does not begin with [net]") }
    for side in ["width", "height"] { _ = try net.number(side, in: 1...(1 << 20)) }
    guard try net.number("channels", in: 1...1024) == 3 else { throw .noNetwork("does not look at three colours") }
    channels = [3]
    self.weights = try DarknetWeights(weights)
    layers = NetworkLayers(channels: 3, learned: weights)
    for section in sections.dropFirst() { results.append(try add(section)) }
    guard !heads.isEmpty else { throw .noNetwork("has no [yolo]") }
  }

  /// - Returns: the section's result; nil for what answers.
  private mutating func add(_ section: DarknetSection) throws(ShimError) -> Int? {
    switch section.kind {
    case "convolutional": return try addConvolution(section)
    case "maxpool":
      let size = try section.number("size", 2, in: Self.sides)
      let padding = try section.number("padding", size - 1, in: 0...2 * (size - 1))
      let window = Window(
        side: size, step: try section.number("stride", size, in: Self.sides),
        margins: .fixed(before: padding / 2, after: padding - padding / 2))
      return try add(.maximum(window), of: [before(section)], channels: channels[before(section)])
    case "upsample":
      let times = try section.number("stride", 2, in: 2...2)
      return try add(.enlargement(times), of: [before(section)], channels: channels[before(section)])
    case "route":
      try section.demand("groups", "1")
      guard let wanted = try section.numbers("layers") else { throw section.refusal("lacks 'layers'") }
      var inputs: [Int] = []
      for layer in wanted { inputs.append(try result(of: layer, for: section)) }
      if inputs.count == 1 { return inputs[0] }
      let sum = inputs.reduce(0) { $0 + channels[$1] }
      guard sum <= Self.mostChannels else { throw section.refusal("joins \(sum) channels") }
      return try add(.concatenation, of: inputs, channels: sum)
    case "shortcut":
      try section.demand("activation", "linear")
      guard let from = try section.numbers("from"), from.count == 1 else { throw section.refusal("lacks 'from'") }
      return try add(
        .sum, of: [before(section), result(of: from[0], for: section)], channels: channels[before(section)])
    case "yolo":
      let input = try before(section)
      let head = try YoloHead(section)
      guard head.channels == channels[input] else { throw section.refusal("does not fit what comes before it") }
      heads.append(head)
      layers.outputs.append(input)
      return nil
    default: throw section.refusal("has what is unknown here")
    }
  }

  private mutating func addConvolution(_ section: DarknetSection) throws(ShimError) -> Int {
    for (name, usual) in [("dilation", "1"), ("binary", "0"), ("xnor", "0"), ("antialiasing", "0")] {
      try section.demand(name, usual)
    }
    let input = try before(section)
    let filters = try section.number("filters", 1, in: 1...(1 << 16))
    let groups = try section.number("groups", 1, in: 1...(1 << 16))
    let side = try section.number("size", 1, in: Self.sides)
    let isPadded = try section.number("pad", 0, in: 0...1) == 1
    let padding = isPadded ? side / 2 : try section.number("padding", 0, in: 0...side - 1)
    guard channels[input].isMultiple(of: groups), filters.isMultiple(of: groups) else { throw section.wrong("groups") }
    let isNormalised = try section.number("batch_normalize", 0, in: 0...1) == 1
    let learned = try weights.next(
      filters: filters, inputs: channels[input] / groups, side: side, isNormalised: isNormalised)
    var convolution = Convolution(
      window: Window(
        side: side, step: try section.number("stride", 1, in: Self.sides),
        margins: .fixed(before: padding, after: padding)),
      groups: groups, kernel: learned.kernel, channels: filters)
    if let normalisation = learned.normalisation {
      convolution.normalise(normalisation)
    } else {
      convolution.add(learned.offsets)
    }
    switch section.text("activation", "linear") {
    case "linear": break
    case "leaky": convolution.rectifier = .leaky(0.1)
    case "relu": convolution.rectifier = .leaky(0)
    default: throw section.wrong("activation")
    }
    return try add(.convolution(convolution), of: [input], channels: filters)
  }

  private mutating func add(_ kind: NetworkLayers.Kind, of inputs: [Int], channels count: Int) throws(ShimError) -> Int
  {
    channels.append(count)
    return layers.add(kind, of: inputs)
  }

  /// What a section works on that names no other.
  private func before(_ section: DarknetSection) throws(ShimError) -> Int {
    guard !results.isEmpty else { return 0 }
    return try result(of: -1, for: section)
  }

  /// Of another section, which is counted from the first one, or backwards from this one.
  private func result(of layer: Int, for section: DarknetSection) throws(ShimError) -> Int {
    let index = layer < 0 ? results.count + layer : layer
    guard results.indices.contains(index) else { throw section.refusal("names a layer that is not before it") }
    guard let result = results[index] else { throw section.refusal("works on what a [yolo] answers") }
    return result
  }
}

/// Darknet's file of what a network learned: a head, then for each convolution what is few and its kernels.
private struct DarknetWeights {
  private let bytes: [UInt8]
  private var position: Int

  private static let epsilon: Float = 1e-6

  init(_ bytes: [UInt8]) throws(ShimError) {
    func word(_ index: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[4 * index + $1]) << (8 * $1) } }
    guard bytes.count >= 16 else { throw .noNetwork("has learned less than its layers need") }
    let (major, minor) = (word(0), word(1))
    guard major <= 1000, minor <= 1000 else { throw .noNetwork("has learned by a Darknet that is unknown here") }
    self.bytes = bytes
    // How many pictures it was taught with has 64 bits from version 0.2 on.
    position = 10 * major + minor >= 2 ? 20 : 16
  }

  /// What a convolution learned.
  struct Learned {
    let kernel: Kernel
    /// Of each channel; beside a normalisation a part of that.
    let offsets: [Float]
    let normalisation: Convolution.Normalisation?
  }

  /// - Returns: the next convolution's.
  mutating func next(filters: Int, inputs: Int, side: Int, isNormalised: Bool) throws(ShimError) -> Learned {
    let offsets = try few(filters)
    let normalisation =
      isNormalised
      ? try Convolution.Normalisation(
        gamma: few(filters), beta: offsets, mean: few(filters), variance: few(filters), epsilon: Self.epsilon) : nil
    let area = side * side
    let count = filters * inputs * area
    let kernel = Kernel(start: try take(count), count: count, strides: [inputs * area, area, side, 1])
    return Learned(kernel: kernel, offsets: offsets, normalisation: normalisation)
  }

  private mutating func few(_ count: Int) throws(ShimError) -> [Float] {
    learnedNumbers(count, at: try take(count), in: bytes)
  }

  /// - Returns: where they begin.
  private mutating func take(_ count: Int) throws(ShimError) -> Int {
    guard count <= (bytes.count - position) / 4 else { throw .noNetwork("has learned less than its layers need") }
    defer { position += 4 * count }
    return position
  }
}
