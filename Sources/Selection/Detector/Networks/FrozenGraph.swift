import ShimSupport

/// A frozen graph of TensorFlow (`GraphDef` of its `graph.proto`, in Protocol Buffers' wire format): operations by name, and
/// what they learned.
struct FrozenGraph {
  let bytes: [UInt8]
  /// Messages in the bytes.
  private let bodies: [Range<Int>]
  private let byName: [String: Int]

  /// An operation.
  struct Node {
    /// In the graph.
    let index: Int
    fileprivate(set) var name = ""
    fileprivate(set) var operation = ""
    /// Indices of operations whose results it works on.
    fileprivate(set) var inputs: [Int] = []
    /// Messages in the graph's bytes.
    fileprivate var attributes: [Range<Int>] = []
  }

  /// Learned numbers.
  struct Tensor {
    let sizes: [Int]
    /// Where they begin in the graph's bytes.
    let start: Int

    var count: Int { sizes.reduce(1, *) }
  }

  /// - Throws: `ShimError` when the bytes are no such graph.
  init(_ bytes: [UInt8]) throws(ShimError) {
    var bodies: [Range<Int>] = []
    var byName: [String: Int] = [:]
    for case (1, .body(let body)) in try WireFields.all(of: bytes.indices, in: bytes) {
      for case (1, .body(let name)) in try WireFields.all(of: body, in: bytes) {
        byName[String(decoding: bytes[name], as: UTF8.self)] = bodies.count
      }
      bodies.append(body)
    }
    (self.bytes, self.bodies, self.byName) = (bytes, bodies, byName)
  }

  /// The operation of a name, by its index.
  /// - Throws: `ShimError` when there is none.
  func index(of name: String) throws(ShimError) -> Int {
    guard let index = byName[name] else { throw .noGraph("without '\(name.prefix(80))'") }
    return index
  }

  /// The part of the graph that some operations need, each after those that it works on; what `input` works on is not needed.
  /// - Throws: `ShimError` when one of them is not there, or works on what it makes.
  func order(to outputs: [Int], from input: Int) throws(ShimError) -> [Node] {
    var order: [Node] = []
    /// Of every operation, once it was met; in the order, at last.
    var met: [Int: Node] = [:]
    var isDone = [Bool](repeating: false, count: bodies.count)
    var open = Array(outputs.reversed())
    while let index = open.last {
      if let node = met[index] {
        open.removeLast()
        if !isDone[index] { order.append(node) }
        isDone[index] = true
        continue
      }
      var node = try node(index)
      if index == input { node.inputs = [] }
      met[index] = node
      for other in node.inputs where !isDone[other] {
        guard met[other] == nil else { throw .noGraph("that works on what it makes") }
        open.append(other)
      }
    }
    guard isDone[input] else { throw .noGraph("that does not begin where pictures come in") }
    return order
  }

  private func node(_ index: Int) throws(ShimError) -> Node {
    var node = Node(index: index)
    for case (let number, .body(let part)) in try WireFields.all(of: bodies[index], in: bytes) {
      switch number {
      case 1: node.name = text(part)
      case 2: node.operation = text(part)
      // "^name" waits for an operation, "name:1" is its second result.
      case 3 where bytes[part].first != UInt8(ascii: "^"):
        let end = bytes[part].firstIndex(of: UInt8(ascii: ":")) ?? part.upperBound
        node.inputs.append(try self.index(of: text(part.lowerBound..<end)))
      case 5: node.attributes.append(part)
      default: break
      }
    }
    return node
  }

  private func text(_ body: Range<Int>) -> String { String(decoding: bytes[body], as: UTF8.self) }
}

extension FrozenGraph {
  /// A text among an operation's attributes; nil where it has none.
  func text(_ name: String, of node: Node) throws(ShimError) -> String? {
    for case (2, .body(let body)) in try attribute(name, of: node) {
      return text(body)
    }
    return nil
  }

  /// A number of floating point.
  func value(_ name: String, of node: Node) throws(ShimError) -> Float? {
    for case (4, .word(let bits)) in try attribute(name, of: node) { return Float(bitPattern: bits) }
    return nil
  }

  /// Whole numbers, all of them less than a million.
  func numbers(_ name: String, of node: Node) throws(ShimError) -> [Int]? {
    for case (1, .body(let list)) in try attribute(name, of: node) {
      return try numbers(of: 3, in: list)
    }
    return nil
  }

  /// What a constant stands for.
  /// - Throws: `ShimError` when it is no constant of numbers of 32 bits, which lie beside each other.
  func tensor(_ node: Node) throws(ShimError) -> Tensor {
    for case (8, .body(let message)) in try attribute("value", of: node) {
      var (isFloat, sizes, content): (Bool, [Int], Range<Int>?) = (false, [], nil)
      for field in try WireFields.all(of: message, in: bytes) {
        switch field {
        case (1, .number(let kind)): isFloat = kind == 1
        case (2, .body(let shape)):
          for case (2, .body(let size)) in try WireFields.all(of: shape, in: bytes) {
            sizes.append(try numbers(of: 1, in: size).first ?? 0)
          }
        // As bytes, or as packed numbers of a field that only such numbers have.
        case (4, .body(let numbers)), (5, .body(let numbers)): content = numbers
        default: break
        }
      }
      guard isFloat, let content, sizes.count <= 4, sizes.allSatisfy({ $0 > 0 }) else { break }
      let tensor = Tensor(sizes: sizes, start: content.lowerBound)
      guard sizes.allSatisfy({ $0 <= 1 << 15 }), 4 * tensor.count == content.count else { break }
      return tensor
    }
    throw .noGraph("with '\(node.name.prefix(80))', which is no constant")
  }

  /// The value of an attribute; nothing where it is missing.
  private func attribute(_ name: String, of node: Node) throws(ShimError) -> [(number: Int, value: WireFields.Value)] {
    for attribute in node.attributes {
      let fields = try WireFields.all(of: attribute, in: bytes)
      for case (1, .body(let key)) in fields where bytes[key].elementsEqual(name.utf8) {
        for case (2, .body(let value)) in fields { return try WireFields.all(of: value, in: bytes) }
      }
    }
    return []
  }

  /// Numbers of a field, one by one or packed.
  private func numbers(of field: Int, in body: Range<Int>) throws(ShimError) -> [Int] {
    var numbers: [UInt64] = []
    for (number, value) in try WireFields.all(of: body, in: bytes) where number == field {
      switch value {
      case .number(let one): numbers.append(one)
      case .body(let packed): numbers += try WireFields.numbers(in: packed, of: bytes)
      case .word: break
      }
    }
    guard numbers.allSatisfy({ $0 < 1_000_000 }) else { throw .noGraph("with a size of \(numbers.max() ?? 0)") }
    return numbers.map { Int($0) }
  }
}
