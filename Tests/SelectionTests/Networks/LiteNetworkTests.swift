import FileBuilding
import Foundation
import ShimSupport
import Testing

@testable import Selection

/// Models of TensorFlow Lite become layers.
struct LiteNetworkTests {
  @Test func everyOperationIsComputed() throws {
    let network = try LiteNetwork(LiteModelFile.whole().bytes)
    #expect(network.spread == 2)
    let red: [Float] = [0, 1, 2, 3, 4, 5, 6, 7]
    let green: [Float] = [2, 0, 0, 0, 1, 0, 0, 0]
    let result = try compute(network.layers, red + green + red, height: 2, width: 4)
    // What is positive of red and a half, and of twice green less one; times their own means.
    let positive: [[Float]] = [red.map { $0 + 0.5 }, green.map { max(2 * $0 - 1, 0) }]
    let channels = positive.map { channel -> [Float] in
      let mean: Float = channel.reduce(0, +) / 8
      return channel.map { $0 * mean }
    }
    // Every second column of the first row, the second channel twice.
    let halves = zip(channels, [1, 2] as [Float]).map { channel, factor -> [Float] in
      [0, 2].map { column -> Float in
        let x: Float = factor * channel[column]
        return x * min(max(x / 6 + 0.5, 0), 1)
      }
    }
    let sums = zip(halves, channels).map { half, channel -> [Float] in
      let row: [Float] = [half[0], 0.75 * half[0] + 0.25 * half[1], 0.25 * half[0] + 0.75 * half[1], half[1]]
      return zip(row + row, channel).map(+)
    }
    let squares: [[Float]] = [[1, 0], [0, 1], [0.5, 0.5], [-1, 0]]
    let expected = squares.flatMap { square in
      (0..<8).map { place -> Float in
        let sum: Float = square[0] * sums[0][place] + square[1] * sums[1][place] - 2
        return 1 / (1 + exp(-sum))
      }
    }
    #expect(result.count == 1 && result[0].count == expected.count)
    #expect(zip(result[0], expected).allSatisfy { abs($0 - $1) < 1e-5 }, "\(result)\n\(expected)")
  }

  /// A network that saw pictures of one size means the whole of others as well.
  @Test func meansAreOfAllThereIs() throws {
    let network = try LiteNetwork(LiteModelFile.whole().bytes)
    #expect(try compute(network.layers, [Float](repeating: 1, count: 3 * 4 * 8), height: 4, width: 8)[0].count == 128)
  }

  private static let unknown: [@Sendable (inout LiteModelFile.Whole) -> Int32] = [
    // A rectifier of what two work on, or of what has one, or of the input.
    { $0.model.operation(.relu, [$0.mixed], to: [1, 2, 4, 2]) },
    { $0.model.operation(.relu, [$0.output], to: [1, 4, 8, 1]) },
    { $0.model.operation(.relu, [$0.input], to: [1, 2, 4, 3]) },
    // What is spread is to be looked at sample by sample.
    { $0.model.operation(.add, [$0.spread, $0.spread], to: [1, 4, 8, 1], options: [:]) },
    { $0.model.operation(.add, [$0.mixed], to: [1, 2, 4, 2], options: [:]) },
    { $0.model.operation(.add, [$0.mixed, $0.mixed], to: [1, 2, 4, 2], options: [0: .byte(1)]) },
    { $0.model.operation(.multiply, [$0.mixed, $0.input], to: [1, 2, 4, 2], options: [:]) },
    { $0.model.operation(.own, [$0.mixed], to: [1, 2, 4, 2], name: "Unheard") },
    { $0.model.operation(.dequantize, [$0.input], to: [1, 2, 4, 3]) },
    { $0.model.operation(.dequantize, [$0.model.tensor([9], [1, 2])], to: [9]) },
    // A part of a picture, corners, three halves.
    {
      $0.model.operation(
        .averagePool, [$0.mixed], to: [1, 1, 2, 2],
        options: [0: .byte(1), 1: .number(2), 2: .number(2), 3: .number(2), 4: .number(2)])
    },
    { $0.model.operation(.resizeBilinear, [$0.mixed], to: [1, 4, 8, 2], options: [2: .byte(1), 3: .byte(1)]) },
    { $0.model.operation(.resizeBilinear, [$0.mixed], to: [1, 3, 6, 2], options: [3: .byte(1)]) },
    { $0.model.operation(.resizeBilinear, [$0.mixed], to: [1, 4, 4, 2], options: [3: .byte(1)]) },
    // Kernels that are not there, and of another size.
    { $0.model.operation(.convolution, [$0.input, $0.input, $0.input], to: [1, 2, 4, 1]) },
    { whole in
      let kernel = whole.model.tensor([1, 1, 1, 5], [1, 2, 3, 4, 5])
      return whole.model.operation(
        .convolution, [whole.input, kernel, whole.model.tensor([1], [0])], to: [1, 2, 4, 1],
        options: [1: .number(1), 2: .number(1)])
    },
    { whole in
      let kernel = whole.model.tensor([1, 1, 1, 3], [1, 2, 3])
      return whole.model.operation(
        .convolution, [whole.input, kernel, whole.model.tensor([1], [0])], to: [1, 2, 4, 1],
        options: [1: .number(1), 2: .number(1), 4: .number(257)])
    },
    { whole in
      let kernel = whole.model.tensor([1, 1, 1, 3], [1, 2, 3])
      return whole.model.operation(
        .convolution, [whole.input, kernel, whole.model.tensor([1], [0])], to: [1, 2, 4, 1], options: [:])
    },
  ]

  @Test(arguments: unknown.indices) func whatIsUnknownIsRefused(index: Int) {
    var whole = LiteModelFile.whole()
    let output = Self.unknown[index](&whole)
    let bytes = whole.model.bytes(from: [whole.input], to: [output])
    #expect(throws: ShimError.self) {
      let layers = try LiteNetwork(bytes).layers
      _ = try compute(layers, [Float](repeating: 0, count: 24), height: 2, width: 4)
    }
  }

  @Test func whatIsNoModelIsRefused() {
    let whole = LiteModelFile.whole()
    for bytes in [
      [], Array("TFL3TFL3".utf8), Array("{\"a\": 1}".utf8), whole.model.bytes(from: [], to: [whole.output]),
      whole.model.bytes(from: [whole.input], to: [99]), whole.model.bytes(from: [whole.input], to: [-1]),
      whole.model.bytes(from: [whole.mixed], to: [whole.output]),
      flatFile([1: .tables([]), 2: .tables([[:], [:]])], identifier: "TFL3"),
    ] {
      #expect(throws: ShimError.self) { try LiteNetwork(bytes) }
    }
  }

  /// Whatever a byte is changed to, and wherever the file ends, nothing beyond it is read.
  @Test func damagedModelsAreRefusedOrRead() {
    let bytes = LiteModelFile.whole().bytes
    for length in bytes.indices { _ = try? LiteNetwork(Array(bytes.prefix(length))) }
    for place in bytes.indices {
      for value: UInt8 in [0, 1, 127, 255] {
        var damaged = bytes
        damaged[place] = value
        _ = try? LiteNetwork(damaged)
      }
    }
  }
}
