import ShimSupport
import Testing

@testable import Selection

/// What is needed of a graph stays, and nothing else.
struct FrozenGraphTests {
  /// `GraphDef` of operations by name and inputs.
  private static func graph(_ nodes: [(name: String, inputs: [String])]) -> [UInt8] {
    nodes.flatMap { node in
      let body = [field(1, node.name), field(2, "Op")] + node.inputs.map { field(3, $0) }
      return field(1, body.flatMap(\.self))
    }
  }

  private static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
  private static func field(_ number: UInt8, _ body: [UInt8]) -> [UInt8] {
    [number << 3 | 2, UInt8(body.count & 127) | 128, UInt8(body.count >> 7)] + body
  }

  private func contains(_ text: String, _ graph: [UInt8]) -> Bool {
    graph.indices.contains { graph[$0...].starts(with: text.utf8) }
  }

  private static let whole = graph([
    ("before", []), ("in", ["before"]), ("learned", []), ("first", ["in:0", "learned"]),
    ("last", ["first", "^learned"]),
    ("after", ["last"]),
  ])

  @Test func whatNobodyNeedsGoes() throws {
    let cut = try FrozenGraph(Self.whole).cut(to: ["last"], from: "in", shape: [1, 300, 300, 3])
    #expect(!contains("before", cut) && !contains("after", cut))
    for name in ["learned", "first", "last", "Placeholder", "dtype", "shape"] { #expect(contains(name, cut)) }
    // 300 in base 128, in a field of its own, twice.
    #expect(cut.indices.dropLast(4).count { Array(cut[$0..<$0 + 5]) == [0x12, 3, 8, 0xac, 2] } == 2)
    // What was cut is a graph, and nothing of it can go.
    #expect(try FrozenGraph(cut).cut(to: ["last"], from: "in", shape: [1, 300, 300, 3]) == cut)
  }

  @Test(arguments: [("missing", "in"), ("last", "after"), ("last", "missing")])
  func anotherGraphIsRefused(output: String, input: String) throws {
    #expect(throws: ShimError.self) {
      try FrozenGraph(Self.whole).cut(to: [output], from: input, shape: [1, 300, 300, 3])
    }
  }

  /// Wherever it ends, nothing beyond the end is read.
  @Test func aGraphThatEndsEarlyIsRefusedOrSmaller() throws {
    for length in 0..<Self.whole.count {
      let part = Array(Self.whole.prefix(length))
      let whole = try? FrozenGraph(part).cut(to: ["after"], from: "in", shape: [1])
      #expect(whole == nil)
    }
    for bytes: [UInt8] in [[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0x0b], [0x09, 1], [0x80]] {
      #expect(throws: ShimError.self) { try FrozenGraph(bytes) }
    }
  }
}
