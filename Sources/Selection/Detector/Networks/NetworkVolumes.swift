import ShimSupport

/// How many samples an input or a result has.
struct Volume: Sendable, Hashable {
  var channels: Int
  var height: Int
  var width: Int

  var count: Int { channels * height * width }
}

extension NetworkLayers {
  /// Layers, and channels, rows and columns of a result.
  private static let mostLayers = 1000
  private static let longest = 1 << 20
  /// Samples of all results together: more than a gigabyte is no network for a hint.
  private static let mostSamples = 1 << 28

  /// How large results are, the input first.
  /// - Throws: `ShimError` when layers do not fit each other, or need too much.
  func volumes(for input: Volume) throws(ShimError) -> [Volume] {
    guard layers.count <= Self.mostLayers else { throw .noNetwork("has more than \(Self.mostLayers) layers") }
    var volumes = [input]
    var samples = 0
    for (index, layer) in layers.enumerated() {
      let volume = try volume(of: layer, number: index + 1, layer.inputs.map { volumes[$0] })
      let sides = [volume.channels, volume.height, volume.width]
      guard sides.allSatisfy({ $0 > 0 }) else { throw .noNetwork("has nothing left for its layer \(index + 1)") }
      guard sides.allSatisfy({ $0 <= Self.longest }), volume.count <= Self.mostSamples - samples else {
        throw .noNetwork("needs too much memory")
      }
      samples += volume.count
      volumes.append(volume)
    }
    return volumes
  }

  private func volume(of layer: Layer, number: Int, _ inputs: [Volume]) throws(ShimError) -> Volume {
    var result = inputs[0]
    func slide(_ window: Window) {
      (result.height, result.width) = (window.results(result.height), window.results(result.width))
    }
    switch layer.kind {
    case .convolution(let convolution):
      let (groups, side) = (convolution.groups, convolution.window.side)
      guard result.channels.isMultiple(of: groups), convolution.channels.isMultiple(of: groups),
        convolution.kernel.count == convolution.channels * (result.channels / groups) * side * side
      else { throw .noNetwork("has a layer \(number) that does not fit what comes before it") }
      slide(convolution.window)
      result.channels = convolution.channels
    case .maximum(let window): slide(window)
    case .enlargement(let times), .interpolation(let times):
      result.height *= times
      result.width *= times
    case .concatenation:
      guard inputs.allSatisfy({ $0.height == result.height && $0.width == result.width }) else {
        throw .noNetwork("joins results of different sizes in its layer \(number)")
      }
      result.channels = inputs.reduce(0) { $0 + $1.channels }
    case .sum:
      guard inputs.allSatisfy({ $0 == result }) else {
        throw .noNetwork("adds results of different sizes in its layer \(number)")
      }
    case .mean: (result.height, result.width) = (1, 1)
    case .product:
      guard inputs[1] == Volume(channels: result.channels, height: 1, width: 1) else {
        throw .noNetwork("multiplies by what does not fit in its layer \(number)")
      }
    }
    return result
  }
}

extension ShimError {
  static func noNetwork(_ detail: String) -> ShimError {
    ShimError(kind: .badData, message: "the network \(detail)")
  }
}
