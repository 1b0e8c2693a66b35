import Frames
import ShimSupport
import Testing

@testable import Selection

/// Networks of a few layers, whose results are known.
struct NetworkTests {
  @Test func everyChannelIsAMixture() throws {
    // Two channels become three.
    var layers = NetworkLayers(channels: 2, [1, 10, -1, 0, 0, 0.5])
    layers.outputs = [layers.convolve(0, channels: (2, 3), adding: [0, 1, -2])]
    let result = try compute(layers, [1, 2, 3, 4, 5, 6], height: 1, width: 3)
    #expect(result == [[41, 52, 63, 0, -1, -2, 0, 0.5, 1]])
  }

  @Test(arguments: [
    (Convolution.Rectifier.none, [-20, -0.5, 3, 8] as [Float]), (.leaky(0.25), [-5, -0.125, 3, 8]),
    (.clip(6), [0, 0, 3, 6]),
  ])
  func resultsAreRectified(rectifier: Convolution.Rectifier, expected: [Float]) throws {
    var layers = NetworkLayers([1])
    layers.outputs = [layers.convolve(0, channels: (1, 1), rectifier)]
    #expect(try compute(layers, [-20, -0.5, 3, 8], height: 2, width: 2) == [expected])
  }

  @Test(arguments: [
    (Convolution.Rectifier.hardSwish, [0, -0.208_333_34, 3, 8] as [Float]),
    (.logistic, [2.061_153_6e-9, 0.377_540_67, 0.952_574_13, 0.999_664_65]),
  ])
  func resultsAreBent(rectifier: Convolution.Rectifier, expected: [Float]) throws {
    var layers = NetworkLayers([1])
    layers.outputs = [layers.convolve(0, channels: (1, 1), rectifier)]
    let result = try compute(layers, [-20, -0.5, 3, 8], height: 2, width: 2)[0]
    #expect(zip(result, expected).allSatisfy { abs($0 - $1) <= 1e-6 * abs($1) }, "\(result)")
  }

  @Test func whatBatchesShowedIsUndone() throws {
    var convolution = Convolution(
      window: Window(side: 1, step: 1, margins: .same), kernel: Kernel(start: 0, count: 2, strides: [1, 1, 1, 1]),
      channels: 2)
    convolution.add([0, 4])
    convolution.normalise(
      Convolution.Normalisation(gamma: [3, 1], beta: [1, 0], mean: [5, 0], variance: [8, 3], epsilon: 1))
    var layers = NetworkLayers([1, 2])
    layers.outputs = [layers.add(.convolution(convolution), of: [0])]
    // (x - 5) / 3 * 3 + 1, and (2 x + 4) / 2.
    #expect(try compute(layers, [5, 8], height: 1, width: 2) == [[1, 4, 7, 10]])
  }

  @Test func kernelsSeeTheirNeighbours() throws {
    var layers = NetworkLayers([0, 1, 0, 1, 0, 1, 0, 1, 0])
    layers.outputs = [layers.convolve(0, channels: (1, 1), side: 3)]
    #expect(try compute(layers, [1, 2, 3, 4, 5, 6], height: 2, width: 3) == [[6, 9, 8, 6, 12, 8]])
  }

  /// Where an even number of samples is halved, TensorFlow's margin is at the end.
  @Test func marginsGoWhereTheyAreWanted() throws {
    for (margins, expected) in [
      (Window.Margins.same, [6, 7] as [Float]), (.fixed(before: 1, after: 1), [3, 9]),
      (.fixed(before: 0, after: 0), [6]),
    ] {
      var layers = NetworkLayers([0, 0, 0, 1, 1, 1, 0, 0, 0])
      // Of the three rows only one is not nothing where there is a margin.
      layers.outputs = [layers.convolve(0, channels: (1, 1), side: 3, step: 2, margins: margins)]
      let rows: [Float] = [1, 2, 3, 4]
      let isInside = if case .fixed(0, 0) = margins { true } else { false }
      let input = isInside ? [0, 0, 0, 0] + rows + [0, 0, 0, 0] : rows
      // With SAME one row lies in the middle of its window.
      #expect(try compute(layers, input, height: isInside ? 3 : 1, width: 4) == [expected], "\(margins)")
    }
  }

  @Test func groupsHaveNothingToDoWithEachOther() throws {
    var each = NetworkLayers(channels: 3, [2, 3, 4])
    each.outputs = [each.convolve(0, channels: (3, 3), groups: 3)]
    #expect(try compute(each, [1, 2, 3, 4, 5, 6], height: 1, width: 2) == [[2, 4, 9, 12, 20, 24]])
    var halves = NetworkLayers(channels: 4, [1, 1, 1, -1])
    halves.outputs = [halves.convolve(0, channels: (4, 2), groups: 2)]
    #expect(try compute(halves, [1, 2, 3, 4], height: 1, width: 1) == [[3, -1]])
  }

  @Test func theMostOfEachWindow() throws {
    func most(_ side: Int, _ step: Int, _ before: Int, _ after: Int) throws -> [Float] {
      var layers = NetworkLayers()
      layers.outputs = [
        layers.add(.maximum(Window(side: side, step: step, margins: .fixed(before: before, after: after))), of: [0])
      ]
      return try compute(layers, [-9, -2, -3, -7, -5, -6, -4, -8, -1], height: 3, width: 3)[0]
    }
    // Darknet's: margins count as nothing, not as 0.
    #expect(try most(2, 2, 0, 1) == [-2, -3, -4, -1])
    #expect(try most(2, 1, 0, 1) == [-2, -2, -3, -4, -1, -1, -4, -1, -1])
    #expect(try most(3, 1, 1, 1) == [-2, -2, -2, -2, -1, -1, -4, -1, -1])
  }

  @Test func samplesAreDoubledAndJoinedAndAdded() throws {
    var layers = NetworkLayers([2])
    let doubled = layers.add(.enlargement(2), of: [0])
    let twice = layers.convolve(doubled, channels: (1, 1))
    let joined = layers.add(.concatenation, of: [twice, doubled])
    let sum = layers.add(.sum, of: [doubled, twice])
    layers.outputs = [joined, sum, doubled]
    let result = try compute(layers, [1, 2], height: 1, width: 2)
    #expect(result[0] == [2, 2, 4, 4, 2, 2, 4, 4, 1, 1, 2, 2, 1, 1, 2, 2])
    #expect(result[1] == [3, 3, 6, 6, 3, 3, 6, 6] && result[2] == [1, 1, 2, 2, 1, 1, 2, 2])
  }

  @Test(arguments: [1, 5, 16]) func channelsAreWeighedByTheirMeans(count: Int) throws {
    var layers = NetworkLayers(channels: count)
    let means = layers.add(.mean, of: [0])
    let product = layers.add(.product, of: [0, means])
    layers.outputs = [means, product, layers.add(.interpolation(2), of: [product])]
    let input = (0..<count).flatMap { [Float($0), Float($0) + 4] }
    let result = try compute(layers, input, height: 1, width: 2)
    let expected = (0..<count).map { Float($0) + 2 }
    #expect(result[0] == expected)
    #expect(result[1] == input.indices.map { input[$0] * expected[$0 / 2] })
    let enlarged = (0..<count).flatMap { channel -> [Float] in
      let (left, right) = (result[1][2 * channel], result[1][2 * channel + 1])
      let row: [Float] = [left, 0.75 * left + 0.25 * right, 0.25 * left + 0.75 * right, right]
      return row + row
    }
    #expect(result[2] == enlarged)
  }

  /// Libraries compute channels in blocks, and fill the last one.
  @Test(arguments: [1, 5, 8, 17, 24, 40]) func channelsNeedNotFillBlocks(count: Int) throws {
    let numbers = (0..<count * 3 + count * count).map { Float(($0 * 7) % 5 - 2) }
    var layers = NetworkLayers(channels: 3, numbers)
    let first = layers.convolve(0, channels: (3, count), .leaky(0.5))
    let second = layers.convolve(first, channels: (count, count), start: count * 3)
    let sum = layers.add(.sum, of: [first, second])
    let joined = layers.add(.concatenation, of: [first, sum, second])
    let most = layers.add(.maximum(Window(side: 2, step: 1, margins: .fixed(before: 0, after: 1))), of: [joined])
    layers.outputs = [joined, most]
    let input: [Float] = [1, -2, 3, 4, -5, 6]
    func mixed(_ from: [Float], _ start: Int) -> [Float] {
      let channels = from.count / 2
      return (0..<count).flatMap { to in
        (0..<2).map { x in
          (0..<channels).reduce(0) { $0 + numbers[start + to * channels + $1] * from[2 * $1 + x] }
        }
      }
    }
    let a = mixed(input, 0).map { $0 < 0 ? $0 / 2 : $0 }
    let b = mixed(a, count * 3)
    let expected = a + zip(a, b).map(+) + b
    let result = try compute(layers, input, height: 1, width: 2)
    #expect(result[0] == expected)
    #expect(result[1] == expected.indices.map { $0 % 2 == 0 ? max(expected[$0], expected[$0 + 1]) : expected[$0] })
  }

  /// What comes in may have any size, and tasks do not get in each other's way.
  @Test func tasksShareANetwork() async throws {
    var state: UInt32 = 1
    func random() -> Float {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 8) / Float(1 << 24) - 0.5
    }
    let numbers = (0..<24 * 27 + 40 * 24 * 9).map { _ in random() }
    var layers = NetworkLayers(channels: 3, numbers)
    let first = layers.convolve(0, channels: (3, 24), side: 3, .leaky(0.1))
    let most = layers.add(.maximum(Window(side: 2, step: 2, margins: .fixed(before: 0, after: 1))), of: [first])
    layers.outputs = [layers.convolve(most, channels: (24, 40), side: 3, start: 24 * 27), first]
    let volumes = [64, 32, 96, 48].map { Volume(channels: 3, height: $0, width: $0 + 8) }
    let input = (0..<3 * 96 * 104).map { _ in random() }
    let network = try Network(layers, input: volumes[0])
    let alone = try volumes.map { volume in try Network(layers, input: volume).answers(to: input, volume) }
    for threads in [1, 3] {
      let together = try await mapIndices(count: 12, threads: threads) { k in
        try network.answers(to: input, volumes[k % 4])
      }
      for k in together.indices { #expect(together[k] == alone[k % 4], "\(threads) threads, \(k)") }
    }
  }

  @Test func aWorkspaceServesSeveralNetworks() throws {
    let workspace = try Workspace()
    for (factor, side) in [(2, 4), (3, 20), (4, 5)] as [(Float, Int)] {
      var layers = NetworkLayers([factor])
      layers.outputs = [layers.convolve(0, channels: (1, 1))]
      let volume = Volume(channels: 1, height: side, width: side)
      let input = (0..<volume.count).map { Float($0) }
      let network = try Network(layers, input: volume)
      #expect(try network.answers(to: input, volume, in: workspace) == [input.map { factor * $0 }])
    }
  }

  @Test func whatDoesNotFitIsRefused() throws {
    func refused(_ make: (inout NetworkLayers) -> Int) {
      var layers = NetworkLayers(channels: 2, [1, 2, 3, 4, 5, 6, 7, 8, 9])
      layers.outputs = [make(&layers)]
      #expect(throws: ShimError.self) { try compute(layers, [1, 2, 3, 4], height: 1, width: 2) }
    }
    refused { $0.convolve(0, channels: (3, 1)) }
    refused { $0.convolve(0, channels: (2, 1), side: 2, margins: .fixed(before: 0, after: 0)) }
    refused { $0.add(.concatenation, of: [0, $0.add(.enlargement(2), of: [0])]) }
    refused { $0.add(.sum, of: [0, $0.convolve(0, channels: (2, 1))]) }
    refused { $0.add(.product, of: [0, 0]) }
    refused { $0.add(.product, of: [0, $0.add(.mean, of: [$0.convolve(0, channels: (2, 1))])]) }
    // Each twice as large as the one before it.
    refused { layers in (0..<30).reduce(0) { input, _ in layers.add(.enlargement(2), of: [input]) } }
    refused { layers in (0..<62).reduce(0) { input, _ in layers.add(.concatenation, of: [input, input]) } }
    refused { layers in
      (0..<1001).reduce(0) { input, _ in
        layers.add(.maximum(Window(side: 1, step: 1, margins: .fixed(before: 0, after: 0))), of: [input])
      }
    }
  }
}
