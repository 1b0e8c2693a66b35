import CShimLibraries
import ShimSupport

extension Source {
  var shimBytes: cs_bytes { cs_bytes(bytes: bytes.baseAddress, count: bytes.count) }
}

/// Gives `body` the bytes as C sees them, for the length of the call.
func withShimBytes<R, E: Error>(_ bytes: [UInt8]?, _ body: (cs_bytes) throws(E) -> R) throws(E) -> R {
  guard let bytes, !bytes.isEmpty else { return try body(cs_bytes(bytes: nil, count: 0)) }
  return try bytes.withUnsafeBufferPointer { (buffer) throws(E) -> R in
    try body(cs_bytes(bytes: buffer.baseAddress, count: buffer.count))
  }
}

/// Takes the bytes out of a buffer that C++ made, and frees it; nil for none.
func take(_ buffer: OpaquePointer?) -> [UInt8]? {
  guard let buffer else { return nil }
  defer { cs_buffer_free(buffer) }
  let view = cs_buffer_bytes(buffer)
  return Array(UnsafeBufferPointer(start: view.bytes, count: view.count))
}
