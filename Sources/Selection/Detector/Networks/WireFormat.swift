import ShimSupport

/// A message's fields in Protocol Buffers' wire format.
struct WireFields {
  /// What a field holds.
  enum Value {
    case number(UInt64)
    /// 32 bits of any meaning.
    case word(UInt32)
    /// Another message, a text or packed numbers, in the bytes.
    case body(Range<Int>)
  }

  private let bytes: [UInt8]
  private var next: Int
  private let end: Int

  private init(of body: Range<Int>, in bytes: [UInt8]) {
    self.bytes = bytes
    (next, end) = (body.lowerBound, body.upperBound)
  }

  /// - Throws: `ShimError` when a field reaches beyond the message.
  static func all(of body: Range<Int>, in bytes: [UInt8]) throws(ShimError) -> [(number: Int, value: Value)] {
    var reader = WireFields(of: body, in: bytes)
    var fields: [(number: Int, value: Value)] = []
    while reader.next < reader.end {
      let key = Int(truncatingIfNeeded: try reader.number())
      guard let value = try reader.value(of: key & 7) else { continue }
      fields.append((key >> 3, value))
    }
    return fields
  }

  /// Packed numbers.
  /// - Throws: `ShimError` when one reaches beyond the body.
  static func numbers(in body: Range<Int>, of bytes: [UInt8]) throws(ShimError) -> [UInt64] {
    var reader = WireFields(of: body, in: bytes)
    var numbers: [UInt64] = []
    while reader.next < reader.end { numbers.append(try reader.number()) }
    return numbers
  }

  /// Nil for 64 bits, which nobody needs.
  private mutating func value(of kind: Int) throws(ShimError) -> Value? {
    switch kind {
    case 0: return .number(try number())
    case 1:
      _ = try take(8)
      return nil
    case 2: return .body(try take(Int(truncatingIfNeeded: try number())))
    case 5: return .word(try take(4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) })
    default: throw .noGraph("with a field of no known kind")
    }
  }

  private mutating func take(_ count: Int) throws(ShimError) -> Range<Int> {
    guard count >= 0, count <= end - next else { throw .noGraph("that ends too early") }
    defer { next += count }
    return next..<next + count
  }

  private mutating func number() throws(ShimError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard next < end else { break }
      let byte = bytes[next]
      next += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
    }
    throw .noGraph("that ends too early")
  }
}

extension ShimError {
  static func noGraph(_ detail: String) -> ShimError {
    ShimError(kind: .badData, message: "it is a graph \(detail)")
  }
}
