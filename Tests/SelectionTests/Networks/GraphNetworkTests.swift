import ShimSupport
import Testing

@testable import Selection

/// Frozen graphs: what is needed of them becomes layers, and nothing else is looked at.
struct GraphNetworkTests {
  private static func field(_ number: UInt8, _ body: [UInt8]) -> [UInt8] {
    [number << 3 | 2, UInt8(body.count & 127) | 128, UInt8(body.count >> 7)] + body
  }
  private static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  private static func attribute(_ name: String, _ value: [UInt8]) -> [UInt8] {
    field(5, field(1, name) + field(2, value))
  }

  private static func node(
    _ name: String, _ operation: String, _ inputs: [String] = [], _ attributes: [UInt8] = []
  ) -> [UInt8] {
    field(1, field(1, name) + field(2, operation) + inputs.flatMap { field(3, $0) } + attributes)
  }

  private static func constant(_ name: String, _ sizes: [UInt8], _ numbers: [Float]) -> [UInt8] {
    let shape = sizes.flatMap { field(2, [8, $0]) }
    return node(name, "Const", [], attribute("value", field(8, [8, 1] + field(2, shape) + field(4, learned(numbers)))))
  }

  private static func steps(_ step: UInt8, _ padding: String = "SAME") -> [UInt8] {
    attribute("strides", field(1, field(3, [1, step, step, 1]))) + attribute("padding", field(2, padding))
  }

  /// Three channels become two, are normalised and clipped, each is doubled, and the sum of both steps goes out.
  private static let whole =
    node("before", "Decode") + node("in", "Mul", ["before"])
    + constant("kernel", [1, 1, 3, 2], [1, 0, 0, 1, 0, 0]) + node("kernel/read", "Identity", ["kernel"])
    + node("first", "Conv2D", ["in:0", "kernel/read"], steps(1))
    + constant("gamma", [2], [2, 1]) + constant("beta", [2], [0, 1]) + constant("mean", [2], [1, 0])
    + constant("variance", [2], [3, 0])
    + node(
      "normal", "FusedBatchNorm", ["first", "gamma", "beta", "mean", "variance"],
      attribute("epsilon", [0x25] + learned([1])))
    + node("clipped", "Relu6", ["normal"])
    + constant("each", [1, 1, 2, 1], [2, 3])
    + node("second", "DepthwiseConv2dNative", ["clipped", "each", "^gamma"], steps(1))
    + constant("offsets", [2], [0.5, -0.5]) + node("moved", "BiasAdd", ["second", "offsets"])
    + node("sum", "Add", ["clipped", "moved"]) + node("after", "Softmax", ["sum"])

  private func layers(_ bytes: [UInt8], _ outputs: [String] = ["sum"], from input: String = "in") throws
    -> NetworkLayers
  {
    try GraphNetwork(FrozenGraph(bytes), outputs: outputs, input: input).layers
  }

  @Test func whatIsNeededIsComputed() throws {
    let layers = try layers(Self.whole, ["sum", "moved"])
    #expect(layers.layers.count == 3)
    // (x - 1) / 2 * 2, and x + 1, clipped; twice and three times that, moved.
    let result = try compute(layers, [1, 3, 2, 8, 7, 7], height: 1, width: 2)
    #expect(result == [[0.5, 6.5, 11.5, 23.5], [0.5, 4.5, 8.5, 17.5]])
  }

  @Test(arguments: [("missing", "in"), ("sum", "after"), ("sum", "missing"), ("after", "in"), ("kernel", "in")])
  func anotherGraphIsRefused(output: String, input: String) {
    #expect(throws: ShimError.self) { try layers(Self.whole, [output], from: input) }
  }

  @Test(arguments: [
    // What two work on cannot become another thing for one of them.
    node("other", "Relu6", ["first"]), node("other", "Relu6", ["clipped"]), node("other", "Add", ["first", "other"]),
    node("other", "Conv2D", ["first", "kernel"], steps(1)), node("other", "Conv2D", ["in", "kernel"], steps(0)),
    node("other", "Conv2D", ["in", "kernel"], steps(1, "EXPLICIT")), node("other", "Conv2D", ["in"], steps(1)),
    node("other", "Conv2D", ["in", "first"], steps(1)), node("other", "BiasAdd", ["first"]),
    node("other", "BiasAdd", ["first", "kernel"]), node("other", "BiasAdd", ["gamma", "first"]),
    node("other", "Identity"),
    constant("numbers", [1, 1, 3, 9], [1, 2]) + node("other", "Conv2D", ["in", "numbers"], steps(1)),
  ])
  func whatIsUnknownIsRefused(node: [UInt8]) {
    #expect(throws: ShimError.self) {
      let layers = try layers(Self.whole + node, ["sum", "other"])
      _ = try compute(layers, [Float](repeating: 0, count: 6), height: 1, width: 2)
    }
  }

  /// Wherever it ends, nothing beyond the end is read.
  @Test func aGraphThatEndsEarlyIsRefused() throws {
    let needed = Array(Self.whole.prefix(Self.whole.count - Self.node("after", "Softmax", ["sum"]).count))
    _ = try layers(needed)
    for length in needed.indices {
      #expect(throws: ShimError.self) { try layers(Array(needed.prefix(length))) }
    }
    for bytes: [UInt8] in [[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x0b], [0x09, 1], [0x80]] {
      #expect(throws: ShimError.self) { try FrozenGraph(bytes) }
    }
  }
}
