/// The boxes of an ISO base media file (ISO/IEC 14496-12, 4.2), read without trusting their lengths.
struct BoxReader {
  let file: UnsafeBufferPointer<UInt8>

  init(_ file: UnsafeBufferPointer<UInt8>) { self.file = file }

  /// Calls `body` with every box's type and contents, until lengths make no sense.
  func forEach(in range: Range<Int>, _ body: (String, Range<Int>) -> Void) {
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      var (length, header) = (number(position, bytes: 4), 8)
      let type = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
      if length == 1, range.upperBound - position >= 16 {
        (length, header) = (number(position + 8, bytes: 8), 16)
      } else if length == 0 {
        length = range.upperBound - position
      }
      guard length >= header, length <= range.upperBound - position else { return }
      body(type, position + header..<position + length)
      position += length
    }
  }

  func first(_ type: String, in range: Range<Int>) -> Range<Int>? {
    var found: Range<Int>?
    forEach(in: range) { name, body in
      if name == type, found == nil { found = body }
    }
    return found
  }

  /// The numbers that a box holds, one after another.
  func numbers(in range: Range<Int>) -> BoxNumbers { BoxNumbers(reader: self, rest: range) }

  fileprivate func number(_ position: Int, bytes: Int) -> Int {
    file[position..<position + bytes].reduce(0) { $0 << 8 | Int($1) } & Int.max
  }
}

/// Unsigned big-endian numbers, until there are no more.
struct BoxNumbers {
  private let reader: BoxReader
  private(set) var rest: Range<Int>

  fileprivate init(reader: BoxReader, rest: Range<Int>) { (self.reader, self.rest) = (reader, rest) }

  /// - Parameter bytes: 1...8.
  /// - Returns: nil where the box ends.
  mutating func next(bytes: Int) -> Int? {
    guard rest.count >= bytes else { return nil }
    defer { rest = rest.dropFirst(bytes) }
    return reader.number(rest.lowerBound, bytes: bytes)
  }

  /// - Returns: false where the box ends before.
  mutating func skip(_ bytes: Int) -> Bool {
    guard rest.count >= bytes else { return false }
    rest = rest.dropFirst(bytes)
    return true
  }

  /// The version and the flags that a full box begins with.
  mutating func fullBoxHeader() -> (version: Int, flags: Int)? {
    next(bytes: 4).map { ($0 >> 24, $0 & 0xFF_FFFF) }
  }
}
