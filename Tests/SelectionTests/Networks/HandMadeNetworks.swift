import ShimSupport

@testable import Selection

/// Bytes of numbers, as files have them.
func learned(_ numbers: [Float]) -> [UInt8] {
  numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian, Array.init) }
}

extension NetworkLayers {
  /// Layers whose convolutions learned `numbers`.
  init(channels: Int = 1, _ numbers: [Float] = []) { self.init(channels: channels, learned: learned(numbers)) }

  /// Adds a convolution with what was learned from number `start` on: channels of the result, of the input, rows, columns.
  mutating func convolve(
    _ input: Int, channels: (from: Int, to: Int), side: Int = 1, step: Int = 1, margins: Window.Margins = .same,
    groups: Int = 1, start: Int = 0, _ rectifier: Convolution.Rectifier = .none, adding offsets: [Float]? = nil
  ) -> Int {
    let each = channels.from / groups
    var convolution = Convolution(
      window: Window(side: side, step: step, margins: margins), groups: groups,
      kernel: Kernel(
        start: 4 * start, count: channels.to * each * side * side, strides: [each * side * side, side * side, side, 1]),
      channels: channels.to)
    convolution.rectifier = rectifier
    if let offsets { convolution.add(offsets) }
    return add(.convolution(convolution), of: [input])
  }
}

extension Network {
  /// What the network makes of an input, an array for each output; channel by channel, so that each is read by itself.
  func answers(to input: [Float], _ volume: Volume, in workspace: Workspace? = nil) throws -> [[Float]] {
    let workspace = try workspace ?? Workspace()
    let places = volume.height * volume.width
    workspace.fill(volume) { room in
      for k in room.indices { room[k] = input[k % volume.channels * places + k / volume.channels] }
    }
    try run(in: workspace)
    return workspace.withAnswers { answers in
      answers.map { answer in
        let places = answer.volume.height * answer.volume.width
        return (0..<answer.volume.count).map { answer[$0 / places, $0 % places] }
      }
    }
  }
}

/// What layers make of one input.
func compute(_ layers: NetworkLayers, _ input: [Float], height: Int, width: Int) throws -> [[Float]] {
  let volume = Volume(channels: layers.channels, height: height, width: width)
  return try Network(layers, input: volume).answers(to: input, volume)
}
