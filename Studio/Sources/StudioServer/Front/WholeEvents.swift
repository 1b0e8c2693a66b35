import NIOCore

/// Lets Server-Sent Events through as they are whole, so that others can follow where their sender breaks off.
struct WholeEvents {
  private var rest = ByteBuffer()

  /// - Returns: the events that are whole with this part; nil where none is.
  mutating func take(_ part: ByteBuffer) -> ByteBuffer? {
    let known = rest.readableBytes
    rest.writeImmutableBuffer(part)
    // A blank line ends an event, and may come in two parts.
    let bytes = rest.readableBytesView
    let first = bytes.startIndex + max(known - 1, 0)
    var last: Int?
    for index in stride(from: bytes.endIndex - 1, to: first, by: -1)
    where bytes[index] == UInt8(ascii: "\n") && bytes[index - 1] == UInt8(ascii: "\n") {
      last = index
      break
    }
    guard let last else { return nil }
    let whole = rest.readSlice(length: last + 1 - bytes.startIndex)
    rest.discardReadBytes()
    return whole
  }
}
