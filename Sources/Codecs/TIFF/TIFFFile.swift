import CTIFF
import Frames

/// A TIFF file that is being read, at one of its directories.
final class TIFFFile {
  let handle: OpaquePointer
  private let memory: TIFFMemory
  private let source: Source

  /// - Parameter directory: 0 is the first.
  init(_ source: Source, directory: UInt16 = 0) throws(CodecError) {
    self.source = source
    memory = TIFFMemory(reading: source.bytes)
    guard let handle = memory.open("r") else { throw source.damaged(memory.complaint ?? "the header is broken") }
    self.handle = handle
    if directory > 0, TIFFSetDirectory(handle, tdir_t(directory)) != 1 { throw damaged("a directory is broken") }
  }

  deinit { TIFFClose(handle) }

  /// Goes on to the next directory.
  func advance() throws(CodecError) {
    guard TIFFReadDirectory(handle) == 1 else { throw damaged("a directory is broken") }
  }

  var isLast: Bool { TIFFLastDirectory(handle) != 0 }

  /// In libtiff's words, or others where it said nothing.
  func damaged(_ otherwise: String) -> CodecError { source.damaged(memory.complaint ?? otherwise) }

  /// Runs what reads samples: codecs go on after damage, and tell rows to have been read that are not as they were.
  func decoding(_ body: () throws(CodecError) -> Void) throws(CodecError) {
    memory.beginDecoding()
    try body()
    if !source.options.acceptsDamaged, let complaint = memory.complaint { throw source.damaged(complaint) }
  }

  /// A number that the directory holds; nil where it does not.
  /// - Parameter defaulted: whether the standard's value stands in for none.
  func number<N: FixedWidthInteger>(_ tag: Int32, defaulted: Bool = false, as type: N.Type = N.self) -> N? {
    var value = N.zero
    let isFound = withUnsafeMutablePointer(to: &value) { place in
      withVaList([place]) {
        defaulted ? TIFFVGetFieldDefaulted(handle, UInt32(tag), $0) : TIFFVGetField(handle, UInt32(tag), $0)
      }
    }
    return isFound == 1 ? value : nil
  }

  /// What a tag of a fixed length holds, valid as long as the directory is the current one; nil for nothing.
  func value(_ tag: Int32) -> UnsafeRawPointer? {
    var value: UnsafeRawPointer?
    let isFound = withUnsafeMutablePointer(to: &value) { place in
      withVaList([place]) { TIFFVGetField(handle, UInt32(tag), $0) }
    }
    return isFound == 1 ? value : nil
  }

  /// The same for a tag of any length, with the number of its values, which libtiff counts in `Count`.
  func values<Count: FixedWidthInteger>(_ tag: Int32, counted: Count.Type) -> UnsafeRawBufferPointer? {
    var count = Count.zero
    var values: UnsafeRawPointer?
    let isFound = withUnsafeMutablePointer(to: &count) { count in
      withUnsafeMutablePointer(to: &values) { values in
        withVaList([count, values]) { TIFFVGetField(handle, UInt32(tag), $0) }
      }
    }
    return isFound == 1 ? UnsafeRawBufferPointer(start: values, count: Int(count)) : nil
  }

  /// - Returns: 1 where libtiff took it.
  @discardableResult
  static func set(_ tag: Int32, _ values: any CVarArg..., in handle: OpaquePointer) -> Int32 {
    withVaList(values) { TIFFVSetField(handle, UInt32(tag), $0) }
  }
}
