import ShimSupport

/// A network that a model of TensorFlow Lite describes: convolutions, sums, products by channel, means of channels and
/// enlargements.
struct LiteNetwork {
  private(set) var layers: NetworkLayers
  /// Into so many samples along each axis the outputs' channels are to be spread.
  private(set) var spread = 1
  private let model: LiteModel
  /// By tensor.
  private var values: [Int: Value] = [:]
  /// How many operations work on each tensor.
  private var users: [Int: Int] = [:]

  private enum Value {
    /// A result of the layers.
    case result(Int)
    /// Numbers of 32 bits from a byte of the layers' file on.
    case constant(Int)
  }

  /// - Throws: `ShimError` when the bytes are no such model, or need what is unknown here.
  init(_ bytes: [UInt8]) throws(ShimError) {
    model = try LiteModel(bytes)
    var learned: [UInt8] = []
    for (index, tensor) in model.tensors.enumerated() where !tensor.contents.isEmpty {
      values[index] = model.learn(tensor, into: &learned).map(Value.constant)
      // Numbers of 16 bits become twice as long; more, and tensors share what was learned, which costs memory for nothing.
      guard learned.count <= 2 * bytes.count else { throw .noModel("that learned the same several times") }
    }
    layers = NetworkLayers(channels: 3, learned: learned)
    guard model.inputs.count == 1, model.tensors[model.inputs[0]].sizes.last == 3 else {
      throw .noModel("that does not look at three colours")
    }
    values[model.inputs[0]] = .result(0)
    for tensor in model.operations.flatMap(\.inputs) + model.outputs { users[tensor, default: 0] += 1 }
    for (index, operation) in model.operations.enumerated() {
      guard operation.outputs.count == 1, values[operation.outputs[0]] == nil,
        let value = try value(of: operation)
      else { throw .noModel("whose operation \(index), \(operation.kind), is unknown here") }
      values[operation.outputs[0]] = value
    }
    for tensor in model.outputs {
      guard case .result(let index)? = values[tensor] else { throw .noModel("that answers nothing") }
      layers.outputs.append(index)
    }
  }

  /// Nil where it is unknown.
  private mutating func value(of operation: LiteModel.Operation) throws(ShimError) -> Value? {
    switch operation.kind {
    case .dequantize:
      guard case .constant(let start)? = operation.inputs.first.flatMap({ values[$0] }) else { return nil }
      return .constant(start)
    case .convolution, .depthwiseConvolution: return try convolution(operation)
    case .transposeConvolution: return spreadingConvolution(operation)
    case .relu: return rectify(operation, .leaky(0))
    case .hardSwish: return rectify(operation, .hardSwish)
    case .logistic: return rectify(operation, .logistic)
    case .averagePool:
      guard let sliding = try operation.sliding(), sliding.isPlain, case .fixed = sliding.margins,
        let sizes = sizes(operation.inputs.first), sliding.sides == [sizes[2], sizes[1]]
      else { return nil }
      return layer(.mean, of: operation)
    case .add: return try operation.isPlain() ? layer(.sum, of: operation) : nil
    case .multiply: return try operation.isPlain() ? layer(.product, of: operation) : nil
    case .resizeBilinear:
      guard try operation.areMiddlesKept(), let before = sizes(operation.inputs.first),
        let after = sizes(operation.outputs.first), after[1] % before[1] == 0,
        after[1] / before[1] == after[2] / before[2], after[2] % before[2] == 0
      else { return nil }
      return layer(.interpolation(after[1] / before[1]), of: operation, inputs: 1)
    default: return nil
    }
  }

  /// Where the numbers of a tensor begin that has so many.
  private func numbers(_ index: Int, count: Int) -> Int? {
    guard case .constant(let start)? = values[index], model.tensors[index].count == count else { return nil }
    return start
  }

  private mutating func convolution(_ operation: LiteModel.Operation) throws(ShimError) -> Value? {
    // One, or as many as the result has channels; rows, columns, channels of the input or of the result.
    guard operation.inputs.count == 3, let input = result(operation.inputs[0]), let sizes = sizes(operation.inputs[1]),
      let sliding = try operation.sliding(), sliding.isPlain, sliding.steps[0] == sliding.steps[1],
      sliding.steps[0] > 0, sizes[1] == sizes[2]
    else { return nil }
    let isEach = operation.kind == .depthwiseConvolution
    let (side, inner) = (sizes[1], sizes[3])
    let (channels, count) = (isEach ? inner : sizes[0], sizes.reduce(1, *))
    guard !isEach || sizes[0] == 1, let start = numbers(operation.inputs[1], count: count) else { return nil }
    let kernel = Kernel(
      start: start, count: count, strides: [isEach ? 1 : side * side * inner, 1, side * inner, inner])
    let window = Window(side: side, step: sliding.steps[0], margins: sliding.margins)
    return convolution(
      Convolution(window: window, groups: isEach ? inner : 1, kernel: kernel, channels: channels), of: input,
      offsets: operation.inputs[2], each: 1)
  }

  /// A convolution that makes a square of samples out of each: one that makes as many channels, and nothing follows but what
  /// looks at single samples.
  private mutating func spreadingConvolution(_ operation: LiteModel.Operation) -> Value? {
    guard operation.inputs.count == 3, let input = result(operation.inputs[0]), spread == 1,
      let sizes = sizes(operation.inputs[1]), sizes[0] == 1, sizes[1] == sizes[2],
      let before = self.sizes(operation.inputs[0]), let after = self.sizes(operation.outputs[0]), after[3] == 1,
      after[1] == before[1] * sizes[1], after[2] == before[2] * sizes[2]
    else { return nil }
    let (side, inner) = (sizes[1], sizes[3])
    guard let start = numbers(operation.inputs[1], count: side * side * inner) else { return nil }
    spread = side
    let kernel = Kernel(start: start, count: side * side * inner, strides: [inner, 1, inner, inner])
    let window = Window(side: 1, step: 1, margins: .fixed(before: 0, after: 0))
    return convolution(
      Convolution(window: window, kernel: kernel, channels: side * side), of: input, offsets: operation.inputs[2],
      each: side * side)
  }

  /// - Parameters:
  ///   - offsets: the tensor of what is added.
  ///   - count: channels for which each of its numbers counts.
  private mutating func convolution(
    _ convolution: Convolution, of input: Int, offsets: Int, each count: Int
  ) -> Value? {
    var convolution = convolution
    guard let start = numbers(offsets, count: convolution.channels / count) else { return nil }
    let offsets = learnedNumbers(convolution.channels / count, at: start, in: layers.file)
    convolution.add(offsets.flatMap { [Float](repeating: $0, count: count) })
    return .result(layers.add(.convolution(convolution), of: [input]))
  }

  private mutating func rectify(_ operation: LiteModel.Operation, _ rectifier: Convolution.Rectifier) -> Value? {
    guard operation.inputs.count == 1, case .result(let index)? = values[operation.inputs[0]],
      users[operation.inputs[0]] == 1
    else { return nil }
    let isDone: Void? = layers.change(convolution: index) { convolution in
      guard convolution.rectifier == .none else { return nil }
      convolution.rectifier = rectifier
    }
    return isDone.map { .result(index) }
  }

  /// - Parameter count: how many of the operation's inputs are results; nil for all.
  private mutating func layer(
    _ kind: NetworkLayers.Kind, of operation: LiteModel.Operation, inputs count: Int? = nil
  ) -> Value? {
    let wanted = operation.inputs.prefix(count ?? operation.inputs.count)
    let inputs = wanted.compactMap(result)
    let arity = if case .sum = kind { 2 } else if case .product = kind { 2 } else { 1 }
    guard inputs.count == wanted.count, inputs.count == arity else { return nil }
    return .result(layers.add(kind, of: inputs))
  }

  /// A tensor that other layers may work on.
  private func result(_ tensor: Int) -> Int? {
    guard case .result(let index)? = values[tensor], spread == 1 else { return nil }
    return index
  }

  /// Of a tensor of four.
  private func sizes(_ tensor: Int?) -> [Int]? {
    guard let tensor, model.tensors[tensor].sizes.count == 4 else { return nil }
    return model.tensors[tensor].sizes
  }
}

extension LiteModel {
  /// Adds what a tensor learned, in 32 bits.
  /// - Returns: where it begins; nil for what is neither of 32 bits nor of 16.
  fileprivate func learn(_ tensor: Tensor, into learned: inout [UInt8]) -> Int? {
    let start = learned.count
    switch tensor.element {
    case .float where tensor.contents.count == 4 * tensor.count: learned += bytes[tensor.contents]
    case .half where tensor.contents.count == 2 * tensor.count:
      for place in stride(from: tensor.contents.lowerBound, to: tensor.contents.upperBound, by: 2) {
        let half = Float16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
        withUnsafeBytes(of: Float(half).bitPattern.littleEndian) { learned += $0 }
      }
    default: return nil
    }
    return start
  }
}
