public import SystemPackage

/// Paths as strings and back, without loss.
///
/// A path is bytes, and on Linux they need not be UTF-8. Names travel as strings all the same: in frames, events and errors.
/// A byte that is part of no valid UTF-8 stands in them as one of the last 128 private-use scalars, U+10FF00 plus the
/// byte, and so does every byte of such a scalar itself; what prints names turns them into bytes again. (Python's "surrogateescape"
/// does it with lone surrogates, PEP 383, which Swift's strings cannot hold.)
extension FilePath {
  /// The path as a string from which `init(text:)` makes the same path again.
  public var text: String { withBytes { String(nameBytes: $0) } }

  /// The path that a string stands for: that of which it is the `text`, or its UTF-8.
  public init(text: String) {
    self = (text.nameBytes + [0]).withUnsafeBytes { buffer in
      buffer.withMemoryRebound(to: CInterop.PlatformChar.self) { FilePath(platformString: $0.baseAddress!) }
    }
  }

  /// Calls `body` with the path's bytes, without an end mark.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withPlatformString { try body(UnsafeRawBufferPointer(start: $0, count: length)) }
  }
}

extension String {
  /// The string that stands for a name's bytes.
  package init(nameBytes bytes: some Collection<UInt8>) {
    if let valid = String(validating: bytes, as: UTF8.self), !valid.unicodeScalars.contains(where: \.isByte) {
      self = valid
      return
    }
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let length = Unicode.Scalar.length(startingWith: first)
      let character = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first
      if let character, !character.isByte {
        scalars.append(character)
        rest = rest.dropFirst(length)
      } else {
        scalars.append(Unicode.Scalar(byte: first))
        rest = rest.dropFirst()
      }
    }
    self = String(scalars)
  }

  /// The bytes of a name, or of words that hold names: UTF-8, and single bytes where the name had them.
  package var nameBytes: [UInt8] {
    if !unicodeScalars.contains(where: \.isByte) { return Array(utf8) }
    return unicodeScalars.flatMap { $0.isByte ? [UInt8(truncatingIfNeeded: $0.value)] : Array(UTF8.encode($0)!) }
  }

  /// A name for where only Unicode goes: bytes that are no UTF-8 become U+FFFD.
  public var readableName: String { String(decoding: nameBytes, as: UTF8.self) }

}

extension Unicode.Scalar {
  private static let firstByte: UInt32 = 0x10FF80

  /// What stands for a byte of 0x80...0xFF.
  fileprivate init(byte: UInt8) { self = Unicode.Scalar(0x10FF00 + UInt32(byte | 0x80))! }

  fileprivate var isByte: Bool { value >= Self.firstByte }

  /// Bytes of the scalar that `byte` begins, 1 where it begins none.
  fileprivate static func length(startingWith byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
