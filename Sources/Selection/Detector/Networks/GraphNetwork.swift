import ShimSupport

/// A network that a frozen graph describes by convolutions, sums and rectifiers.
struct GraphNetwork {
  private(set) var layers: NetworkLayers
  private let graph: FrozenGraph
  /// By the operation that makes them.
  private var values: [Int: Value] = [:]
  /// How many operations work on each.
  private var users: [Int: Int] = [:]

  /// What an operation makes.
  private enum Value {
    /// A result of the layers; `isShared` when several work on it.
    case result(Int, isShared: Bool)
    case constant(FrozenGraph.Tensor)
  }

  /// - Parameters:
  ///   - outputs: the operations whose results are wanted.
  ///   - input: the one that stands for a picture of three colours.
  /// - Throws: `ShimError` when they are not there, or need what is unknown here.
  init(_ graph: FrozenGraph, outputs: [String], input: String) throws(ShimError) {
    self.graph = graph
    layers = NetworkLayers(channels: 3, learned: graph.bytes)
    let input = try graph.index(of: input)
    var wanted: [Int] = []
    for name in outputs { wanted.append(try graph.index(of: name)) }
    let order = try graph.order(to: wanted, from: input)
    for index in order.flatMap(\.inputs) + wanted { users[index, default: 0] += 1 }
    for node in order {
      let value = node.index == input ? .result(0, isShared: false) : try value(of: node)
      values[node.index] = value
    }
    for index in wanted { layers.outputs.append(try result(index).index) }
  }

  private mutating func value(of node: FrozenGraph.Node) throws(ShimError) -> Value {
    switch node.operation {
    case "Const": return .constant(try graph.tensor(node))
    case "Identity":
      guard case .result(let index, let isShared) = try input(0, of: node) else { return try input(0, of: node) }
      return .result(index, isShared: isShared || isUsedOften(node))
    case "Conv2D", "DepthwiseConv2dNative": return try convolution(node)
    case "BiasAdd":
      let offsets = try vector(1, of: node)
      return try follow(node) { $0.add(offsets) }
    case "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3":
      let normalisation = Convolution.Normalisation(
        gamma: try vector(1, of: node), beta: try vector(2, of: node), mean: try vector(3, of: node),
        variance: try vector(4, of: node), epsilon: try graph.value("epsilon", of: node) ?? 1e-4)
      return try follow(node) { $0.normalise(normalisation) }
    case "Relu6": return try follow(node) { $0.rectifier = .clip(6) }
    case "Add", "AddV2":
      if case .constant = try input(1, of: node) {
        let offsets = try vector(1, of: node)
        return try follow(node) { $0.add(offsets) }
      }
      guard node.inputs.count == 2 else { throw refusal(node) }
      let inputs = [try result(node.inputs[0]).index, try result(node.inputs[1]).index]
      return .result(layers.add(.sum, of: inputs), isShared: isUsedOften(node))
    default: throw refusal(node)
    }
  }

  private mutating func convolution(_ node: FrozenGraph.Node) throws(ShimError) -> Value {
    guard node.inputs.count == 2, case .constant(let tensor) = try input(1, of: node), tensor.sizes.count == 4,
      tensor.sizes[0] == tensor.sizes[1], try graph.text("data_format", of: node) ?? "NHWC" == "NHWC",
      try (graph.numbers("dilations", of: node) ?? [1]).allSatisfy({ $0 == 1 }),
      let steps = try graph.numbers("strides", of: node), steps.count == 4, steps[0] == 1, steps[3] == 1,
      steps[1] == steps[2], steps[1] > 0
    else { throw refusal(node) }
    let margins: Window.Margins
    switch try graph.text("padding", of: node) {
    case "SAME"?: margins = .same
    case "VALID"?: margins = .fixed(before: 0, after: 0)
    default: throw refusal(node)
    }
    // Rows, columns, channels of the input, channels of the result; or of each channel's results.
    let (side, inputs, outputs) = (tensor.sizes[0], tensor.sizes[2], tensor.sizes[3])
    let isEach = node.operation != "Conv2D"
    guard !isEach || outputs == 1 else { throw refusal(node) }
    let channels = isEach ? inputs : outputs
    let kernel = Kernel(
      start: tensor.start, count: tensor.count,
      strides: [1, isEach ? 1 : outputs, side * inputs * outputs, inputs * outputs])
    let convolution = Convolution(
      window: Window(side: side, step: steps[1], margins: margins), groups: isEach ? inputs : 1, kernel: kernel,
      channels: channels)
    let index = layers.add(.convolution(convolution), of: [try result(node.inputs[0]).index])
    return .result(index, isShared: isUsedOften(node))
  }

  /// Adds to a convolution what follows it.
  private mutating func follow(
    _ node: FrozenGraph.Node, _ change: (inout Convolution) -> Void
  ) throws(ShimError) -> Value {
    guard let first = node.inputs.first else { throw refusal(node) }
    let (index, isShared) = try result(first)
    let numbers = node.inputs.dropFirst().compactMap { values[$0] }
    let isDone: Void? = layers.change(convolution: index) { convolution in
      let fits = numbers.allSatisfy { value in
        if case .constant(let tensor) = value { tensor.count == convolution.channels } else { false }
      }
      // What others work on, and what a rectifier has made, is not changed any more.
      return isShared || convolution.rectifier != .none || !fits ? nil : change(&convolution)
    }
    guard isDone != nil else { throw refusal(node) }
    return .result(index, isShared: isUsedOften(node))
  }

  private func input(_ index: Int, of node: FrozenGraph.Node) throws(ShimError) -> Value {
    guard node.inputs.indices.contains(index), let value = values[node.inputs[index]] else { throw refusal(node) }
    return value
  }

  /// What an operation makes, which is to be a picture.
  private func result(_ operation: Int) throws(ShimError) -> (index: Int, isShared: Bool) {
    guard case .result(let index, let isShared)? = values[operation] else {
      throw .noGraph("that works on a constant as on a picture")
    }
    return (index, isShared)
  }

  /// Learned numbers, one for each channel.
  private func vector(_ index: Int, of node: FrozenGraph.Node) throws(ShimError) -> [Float] {
    guard case .constant(let tensor) = try input(index, of: node), tensor.sizes.count <= 1 else { throw refusal(node) }
    return learnedNumbers(tensor.count, at: tensor.start, in: graph.bytes)
  }

  private func isUsedOften(_ node: FrozenGraph.Node) -> Bool { users[node.index, default: 0] > 1 }

  private func refusal(_ node: FrozenGraph.Node) -> ShimError {
    .noGraph("whose '\(node.name.prefix(80))', \(node.operation.prefix(40)), is unknown here")
  }
}
