import CTurboJPEG
package import Frames

/// Decodes a picture to look at, smaller where that is quicker: of a JPEG the luma alone, reduced by 2, 4 or 8 while it
/// is decoded; pictures of other formats as they are.
/// - Parameters:
///   - bytes: the whole file.
///   - name: what messages call it.
///   - side: pixels that the longer side keeps at least, where the picture has them.
///   - options: how, and within which limits.
/// - Throws: `CodecError`.
package func decodeReduced(
  _ bytes: [UInt8], name: String, side: Int, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> Frame {
  guard try identify(bytes, name: name) == .jpeg else { return try decode(bytes, name: name, options: options) }
  let stored = try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> Frame in
    try JPEGDecoder(Source(bytes: buffer, name: name, options: options)).decodeLuma(side: side)
  }
  do {
    return try stored.oriented(stored.metadata.storedOrientation, budget: options.budget)
  } catch {
    throw .allocation(name: name, error)
  }
}
