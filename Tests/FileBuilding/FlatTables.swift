/// A field of a table in FlatBuffers' format.
public indirect enum FlatField {
  case byte(UInt8)
  case number(Int32)
  case table([Int: FlatField])
  case tables([[Int: FlatField]])
  case numbers([Int32])
  case bytes([UInt8])
}

/// A file in FlatBuffers' format.
/// - Parameters:
///   - root: fields by number.
///   - identifier: four characters.
public func flatFile(_ root: [Int: FlatField], identifier: String) -> [UInt8] {
  var file = FlatFile(bytes: [0, 0, 0, 0] + identifier.utf8)
  file.point(from: 0, to: file.add(root))
  return file.bytes
}

private struct FlatFile {
  var bytes: [UInt8]

  /// - Returns: where the table begins.
  mutating func add(_ fields: [Int: FlatField]) -> Int {
    // The list of fields, each of which has four bytes behind the first four of the table.
    let list = bytes.count
    let count = (fields.keys.max() ?? -1) + 1
    let length = 4 + 2 * count + 2 * (count % 2)
    let order = fields.keys.sorted()
    append(UInt16(4 + 2 * count))
    append(UInt16(4 + 4 * order.count))
    for field in 0..<count { append(UInt16(order.firstIndex(of: field).map { 4 + 4 * $0 } ?? 0)) }
    if count % 2 == 1 { append(UInt16(0)) }
    let table = bytes.count
    append(Int32(table - list))
    precondition(table - list == length)
    for field in order {
      switch fields[field]! {
      case .byte(let value): append(UInt32(value))
      case .number(let value): append(value)
      default: append(UInt32(0))
      }
    }
    for (place, field) in order.enumerated() {
      let start = table + 4 + 4 * place
      switch fields[field]! {
      case .byte, .number: break
      case .table(let other): point(from: start, to: add(other))
      case .tables(let others):
        point(from: start, to: bytes.count)
        append(UInt32(others.count))
        let places = others.indices.map { bytes.count + 4 * $0 }
        bytes += [UInt8](repeating: 0, count: 4 * others.count)
        for (place, other) in zip(places, others) { point(from: place, to: add(other)) }
      case .numbers(let numbers):
        point(from: start, to: bytes.count)
        append(UInt32(numbers.count))
        for number in numbers { append(number) }
      case .bytes(let contents):
        point(from: start, to: bytes.count)
        append(UInt32(contents.count))
        bytes += contents + [UInt8](repeating: 0, count: (4 - contents.count % 4) % 4)
      }
    }
    return table
  }

  mutating func point(from place: Int, to target: Int) {
    withUnsafeBytes(of: UInt32(target - place).littleEndian) { offset in
      for k in 0..<4 { bytes[place + k] = offset[k] }
    }
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }
}
