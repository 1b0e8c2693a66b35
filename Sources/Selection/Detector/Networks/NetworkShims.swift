import CShimOneDNN

extension NetworkLayers {
  /// The layers as C has them.
  /// - Parameter volumes: results' sizes, the input first.
  func withShims<Result>(_ volumes: [Volume], _ body: (UnsafePointer<cs_layer>?) -> Result) -> Result {
    let inputs = layers.flatMap { $0.inputs.map(Int32.init) }
    return inputs.withUnsafeBufferPointer { inputs in
      var next = inputs.baseAddress
      let shims = layers.enumerated().map { index, layer in
        var shim = cs_layer()
        (shim.inputs, shim.input_count) = (next, Int32(layer.inputs.count))
        next = next.map { $0 + layer.inputs.count }
        shim.volume = cs_volume(volumes[index + 1])
        shim.describe(layer.kind, of: volumes[layer.inputs[0]])
        return shim
      }
      return shims.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }

  /// What the layers have learned as C has it.
  func withLearnedShims<Result>(_ body: (UnsafePointer<cs_learned>?) -> Result) -> Result {
    let convolutions = layers.map { layer -> Convolution? in
      if case .convolution(let convolution) = layer.kind { convolution } else { nil }
    }
    let scales = convolutions.flatMap { $0?.scales ?? [] }
    let offsets = convolutions.flatMap { $0?.offsets ?? [] }
    return file.withUnsafeBytes { file in
      scales.withUnsafeBufferPointer { scales in
        offsets.withUnsafeBufferPointer { offsets in
          var first = 0
          let shims = convolutions.map { convolution in
            guard let convolution else { return cs_learned() }
            let (kernel, strides) = (convolution.kernel, convolution.kernel.strides.map(Int64.init))
            precondition(kernel.start >= 0 && kernel.count <= (file.count - kernel.start) / 4)
            defer { first += convolution.channels }
            return cs_learned(
              kernel: file.baseAddress.map { $0 + kernel.start },
              strides: (strides[0], strides[1], strides[2], strides[3]),
              scales: scales.baseAddress.map { $0 + first }, offsets: offsets.baseAddress.map { $0 + first })
          }
          return shims.withUnsafeBufferPointer { body($0.baseAddress) }
        }
      }
    }
  }
}

extension cs_layer {
  fileprivate mutating func describe(_ kind: NetworkLayers.Kind, of input: Volume) {
    switch kind {
    case .convolution(let convolution):
      self.kind = CS_LAYER_CONVOLUTION
      groups = Int32(convolution.groups)
      slide(convolution.window, over: input)
      switch convolution.rectifier {
      case .none: rectifier = CS_RECTIFIER_NONE
      case .leaky(let slope): (rectifier, bound) = (CS_RECTIFIER_LEAKY, slope)
      case .clip(let limit): (rectifier, bound) = (CS_RECTIFIER_CLIP, limit)
      case .hardSwish: rectifier = CS_RECTIFIER_HARD_SWISH
      case .logistic: rectifier = CS_RECTIFIER_LOGISTIC
      }
    case .maximum(let window):
      self.kind = CS_LAYER_MAXIMUM
      slide(window, over: input)
    case .enlargement: self.kind = CS_LAYER_ENLARGEMENT
    case .concatenation: self.kind = CS_LAYER_CONCATENATION
    case .sum: self.kind = CS_LAYER_SUM
    case .mean: self.kind = CS_LAYER_MEAN
    case .product: self.kind = CS_LAYER_PRODUCT
    case .interpolation: self.kind = CS_LAYER_INTERPOLATION
    }
  }

  private mutating func slide(_ window: Window, over input: Volume) {
    (side, step) = (Int32(window.side), Int32(window.step))
    let (rows, columns) = (window.margins(input.height), window.margins(input.width))
    (top, bottom, left, right) = (Int32(rows.before), Int32(rows.after), Int32(columns.before), Int32(columns.after))
  }
}
