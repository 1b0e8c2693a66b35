package import ShimSupport

/// A frozen graph of TensorFlow (`GraphDef` of its `graph.proto`, in Protocol Buffers' wire format): operations by name,
/// and what they learned.
package struct FrozenGraph {
  private let bytes: [UInt8]
  private let nodes: [Node]

  /// A message in the graph's bytes.
  private struct Node {
    let body: Range<Int>
    let name: String
    let inputs: [String]
  }

  /// - Throws: `ShimError` when the bytes are no such graph.
  package init(_ bytes: [UInt8]) throws(ShimError) {
    var nodes: [Node] = []
    for field in try Fields(of: bytes.indices, in: bytes).all() where field.number == 1 {
      var (name, inputs) = ("", [String]())
      for part in try Fields(of: field.body, in: bytes).all() {
        switch part.number {
        case 1: name = String(decoding: bytes[part.body], as: UTF8.self)
        case 3: inputs.append(String(decoding: bytes[part.body], as: UTF8.self))
        default: break
        }
      }
      nodes.append(Node(body: field.body, name: name, inputs: inputs))
    }
    (self.bytes, self.nodes) = (bytes, nodes)
  }

  /// The part of the graph that some operations need, in its order; what feeds `input` is replaced by a picture.
  /// - Parameter shape: of the picture: pictures, rows, columns, channels.
  /// - Throws: `ShimError` when one of them is not there.
  package func cut(to outputs: [String], from input: String, shape: [Int]) throws(ShimError) -> [UInt8] {
    let byName = Dictionary(nodes.indices.map { (nodes[$0].name, $0) }) { first, _ in first }
    var needed = Set<Int>()
    var open = outputs
    while let name = open.popLast() {
      // "^name" waits for an operation, "name:1" is its second result.
      let plain = name.drop { $0 == "^" }.prefix { $0 != ":" }
      guard let index = byName[String(plain)] else { throw .noGraph("without '\(plain)'") }
      if needed.insert(index).inserted, plain != input { open += nodes[index].inputs }
    }
    guard let first = byName[input], needed.contains(first) else { throw .noGraph("that does not begin at '\(input)'") }
    var result: [UInt8] = []
    for index in nodes.indices where needed.contains(index) {
      result += message(1, index == first ? placeholder(input, shape) : Array(bytes[nodes[index].body]))
    }
    return result
  }
}

extension ShimError {
  fileprivate static func noGraph(_ detail: String) -> ShimError {
    ShimError(kind: .badData, message: "it is a graph \(detail)")
  }
}

/// `NodeDef` of an operation that stands for a picture of floating-point numbers.
private func placeholder(_ name: String, _ shape: [Int]) -> [UInt8] {
  func attribute(_ key: String, _ value: [UInt8]) -> [UInt8] {
    message(5, message(1, Array(key.utf8)) + message(2, value))
  }
  let sizes = shape.flatMap { message(2, varint(1 << 3) + varint($0)) }
  return message(1, Array(name.utf8)) + message(2, Array("Placeholder".utf8))
    + attribute("dtype", varint(6 << 3) + varint(1)) + attribute("shape", message(7, sizes))
}

/// A field that holds bytes.
private func message(_ number: Int, _ body: [UInt8]) -> [UInt8] { varint(number << 3 | 2) + varint(body.count) + body }

private func varint(_ value: Int) -> [UInt8] {
  var (rest, bytes) = (value, [UInt8]())
  while rest > 127 {
    bytes.append(UInt8(rest & 127) | 128)
    rest >>= 7
  }
  return bytes + [UInt8(rest)]
}

/// The fields of a message that hold bytes: other messages and texts.
private struct Fields {
  private let bytes: [UInt8]
  private var next: Int
  private let end: Int

  init(of body: Range<Int>, in bytes: [UInt8]) {
    self.bytes = bytes
    (next, end) = (body.lowerBound, body.upperBound)
  }

  /// - Throws: `ShimError` when a field reaches beyond the message.
  consuming func all() throws(ShimError) -> [(number: Int, body: Range<Int>)] {
    var fields: [(number: Int, body: Range<Int>)] = []
    while next < end {
      let key = try number()
      switch key & 7 {
      case 0: _ = try number()
      case 1: try skip(8)
      case 2:
        let length = try number()
        let start = next
        try skip(length)
        fields.append((key >> 3, start..<next))
      case 5: try skip(4)
      default: throw .noGraph("with a field of no known kind")
      }
    }
    return fields
  }

  private mutating func skip(_ count: Int) throws(ShimError) {
    guard count >= 0, count <= end - next else { throw .noGraph("that ends too early") }
    next += count
  }

  private mutating func number() throws(ShimError) -> Int {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard next < end else { break }
      let byte = bytes[next]
      next += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return Int(truncatingIfNeeded: value) }
    }
    throw .noGraph("that ends too early")
  }
}
