import ShimSupport

/// A table in FlatBuffers' format: fields by number, any of which may be missing, and other tables that they point at.
struct FlatTable {
  private let bytes: [UInt8]
  private let start: Int
  /// The list of where fields begin, from the table's start: two bytes for each, after four others.
  private let list: Int
  /// Bytes of it.
  private let length: Int

  /// Tables in a list.
  private static let most = 1 << 16

  /// The table that the bytes begin with.
  /// - Parameter identifier: four characters that say what the bytes are.
  /// - Throws: `ShimError` when they are something else.
  init(root bytes: [UInt8], identifier: String) throws(ShimError) {
    guard bytes.count >= 8, bytes[4..<8].elementsEqual(identifier.utf8) else { throw .noModel("of no known kind") }
    try self.init(at: try FlatTable.offset(at: 0, in: bytes), in: bytes)
  }

  private init(at start: Int, in bytes: [UInt8]) throws(ShimError) {
    // A table begins with how far behind the list it lies.
    let list = start - Int(try FlatTable.read(Int32.self, at: start, in: bytes))
    let length = Int(try FlatTable.read(UInt16.self, at: list, in: bytes))
    (self.bytes, self.start, self.list, self.length) = (bytes, start, list, length)
  }

  /// A whole number of a field.
  /// - Parameter type: as the file has it.
  func number<Number: FixedWidthInteger>(_ field: Int, as type: Number.Type, or missing: Int) throws(ShimError) -> Int {
    guard let place = try place(of: field) else { return missing }
    return Int(try FlatTable.read(type, at: place, in: bytes))
  }

  /// Another table; nil where there is none.
  func table(_ field: Int) throws(ShimError) -> FlatTable? {
    guard let place = try place(of: field) else { return nil }
    return try FlatTable(at: place + FlatTable.offset(at: place, in: bytes), in: bytes)
  }

  /// Other tables.
  func tables(_ field: Int) throws(ShimError) -> [FlatTable] {
    var tables: [FlatTable] = []
    let places = try elements(field, of: 4)
    guard places.count <= FlatTable.most else { throw .noModel("with lists of \(places.count) parts") }
    for place in places {
      tables.append(try FlatTable(at: place + FlatTable.offset(at: place, in: bytes), in: bytes))
    }
    return tables
  }

  /// Whole numbers of 32 bits.
  func numbers(_ field: Int) throws(ShimError) -> [Int] {
    var numbers: [Int] = []
    let places = try elements(field, of: 4)
    guard places.count <= FlatTable.most else { throw .noModel("with lists of \(places.count) numbers") }
    for place in places {
      numbers.append(Int(try FlatTable.read(Int32.self, at: place, in: bytes)))
    }
    return numbers
  }

  /// Where a field's bytes lie.
  func body(_ field: Int) throws(ShimError) -> Range<Int> {
    let places = try elements(field, of: 1)
    return places.isEmpty ? 0..<0 : places[0]..<places[0] + places.count
  }

  func text(_ field: Int) throws(ShimError) -> String { String(decoding: bytes[try body(field)], as: UTF8.self) }

  /// Nil for a field that is missing.
  private func place(of field: Int) throws(ShimError) -> Int? {
    guard 4 + 2 * field + 2 <= length else { return nil }
    let offset = Int(try FlatTable.read(UInt16.self, at: list + 4 + 2 * field, in: bytes))
    return offset == 0 ? nil : start + offset
  }

  /// Where the elements of a list lie, each of so many bytes.
  private func elements(_ field: Int, of size: Int) throws(ShimError) -> [Int] {
    guard let place = try place(of: field) else { return [] }
    let list = place + (try FlatTable.offset(at: place, in: bytes))
    let count = try FlatTable.offset(at: list, in: bytes)
    guard count <= (bytes.count - list - 4) / size else { throw .noModel("that ends too early") }
    return (0..<count).map { list + 4 + $0 * size }
  }

  private static func offset(at place: Int, in bytes: [UInt8]) throws(ShimError) -> Int {
    Int(try read(UInt32.self, at: place, in: bytes))
  }

  private static func read<Number: FixedWidthInteger>(
    _ type: Number.Type, at place: Int, in bytes: [UInt8]
  ) throws(ShimError) -> Number {
    let size = MemoryLayout<Number>.size
    guard place >= 0, place <= bytes.count - size else { throw .noModel("that ends too early") }
    return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: type) })
  }
}

extension ShimError {
  static func noModel(_ detail: String) -> ShimError {
    ShimError(kind: .badData, message: "it is a model \(detail)")
  }
}
