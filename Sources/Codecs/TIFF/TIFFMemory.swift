import CTIFF
import Glibc

/// The bytes behind a `TIFF`, and the first thing that libtiff complained of, which is kept instead of printed.
final class TIFFMemory {
  /// What is read; nil when writing.
  private let input: UnsafeBufferPointer<UInt8>?
  /// What has been written.
  private(set) var output: [UInt8] = []
  private var position: UInt64 = 0
  /// Whether samples are being decoded: then warnings tell of damage, too.
  private var isDecoding = false
  private(set) var complaint: String?

  /// - Parameter input: the file to be read, which must outlive this; nil to write one.
  init(reading input: UnsafeBufferPointer<UInt8>? = nil) { self.input = input }

  /// A handle on the bytes, which must not outlive them.
  /// - Parameter mode: as `TIFFOpen` takes it.
  /// - Returns: nil where libtiff refuses; `complaint` says why.
  func open(_ mode: String) -> OpaquePointer? {
    guard let options = TIFFOpenOptionsAlloc() else { return nil }
    defer { TIFFOpenOptionsFree(options) }
    let user = Unmanaged.passUnretained(self).toOpaque()
    // A directory of a hostile file may claim anything.
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, 1 << 30)
    TIFFOpenOptionsSetErrorHandlerExtR(
      options,
      { _, user, _, format, arguments in
        TIFFMemory.of(user).keep(format, arguments)
        return 1
      }, user)
    TIFFOpenOptionsSetWarningHandlerExtR(
      options,
      { _, user, _, format, arguments in
        TIFFMemory.of(user).keepWarning(format, arguments)
        return 1
      }, user)
    return TIFFClientOpenExt(
      "memory", mode, user,
      { TIFFMemory.of($0).read(into: $1, count: $2) }, { TIFFMemory.of($0).write($1, count: $2) },
      { TIFFMemory.of($0).seek(to: $1, from: $2) }, { _ in 0 }, { TIFFMemory.of($0).count },
      { TIFFMemory.of($0).map($1, $2) }, { _, _, _ in }, options)
  }

  /// From now on complaints are about samples; what was said of tags is forgotten.
  func beginDecoding() {
    isDecoding = true
    complaint = nil
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> TIFFMemory {
    Unmanaged<TIFFMemory>.fromOpaque(user!).takeUnretainedValue()
  }

  private var count: UInt64 { UInt64(input?.count ?? output.count) }

  private func read(into target: UnsafeMutableRawPointer?, count wanted: tmsize_t) -> tmsize_t {
    guard let target, wanted > 0, position < count else { return 0 }
    let length = Int(min(UInt64(wanted), count - position))
    func copy(_ bytes: UnsafeRawBufferPointer) {
      target.copyMemory(from: bytes.baseAddress! + Int(position), byteCount: length)
    }
    if let input { copy(UnsafeRawBufferPointer(input)) } else { output.withUnsafeBytes(copy) }
    position += UInt64(length)
    return tmsize_t(length)
  }

  private func write(_ source: UnsafeMutableRawPointer?, count wanted: tmsize_t) -> tmsize_t {
    guard input == nil, let source, wanted > 0, let start = Int(exactly: position) else { return 0 }
    let count = Int(wanted)
    let bytes = UnsafeRawBufferPointer(start: source, count: count)
    if start > output.count { output.append(contentsOf: repeatElement(0, count: start - output.count)) }
    let overlap = min(count, output.count - start)
    output.replaceSubrange(start..<start + overlap, with: bytes[..<overlap])
    output.append(contentsOf: bytes[overlap...])
    position += UInt64(count)
    return wanted
  }

  private func seek(to offset: UInt64, from origin: Int32) -> UInt64 {
    // Offsets backwards come as large numbers.
    switch origin {
    case SEEK_CUR: position &+= offset
    case SEEK_END: position = count &+ offset
    default: position = offset
    }
    return position
  }

  private func map(
    _ base: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ length: UnsafeMutablePointer<UInt64>?
  ) -> Int32 {
    guard let input else { return 0 }
    base?.pointee = UnsafeMutableRawPointer(mutating: input.baseAddress)
    length?.pointee = count
    return 1
  }

  private func keep(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) {
    guard complaint == nil, let format, let arguments else { return }
    complaint = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 240) { text in
      vsnprintf(text.baseAddress!, text.count, format, arguments)
      return String(cString: text.baseAddress!)
    }
  }

  /// What codecs warn of although every sample comes out as it was meant.
  private static let harmless = ["Old-style LZW codes", "JPEG strip size exceeds expected dimensions"]

  private func keepWarning(_ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?) {
    // Warnings about tags are remarks; those of codecs tell where they went on after damage.
    guard isDecoding, let format, !Self.harmless.contains(where: { strstr(format, $0) != nil }) else { return }
    keep(format, arguments)
  }
}
