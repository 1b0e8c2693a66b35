import CTurboJPEG
package import Frames

/// A picture decoded to be looked at, or the part of one that its file stores first.
package struct ReducedPicture: Sendable {
  /// The part, upright.
  package let frame: Frame
  /// Where the part lies in the whole, in pixels of `frame`.
  package let part: Region
  /// The whole picture's, in pixels of `frame`.
  package let whole: Size
}

/// Decodes a picture to look at, smaller where that is quicker: of a JPEG the luma alone, reduced by 2, 4 or 8 while it
/// is decoded; pictures of other formats as they are.
/// - Parameters:
///   - bytes: the whole file.
///   - name: what messages call it.
///   - side: pixels that the longer side keeps at least, where the picture has them.
///   - share: of the rows, from the first that is stored, where a file can be read in part: a sequential JPEG. What
///     follows is not looked at, so damage to it is not found; that the file ends as a whole one does, is.
///   - options: how, and within which limits.
/// - Throws: `CodecError`.
package func decodeReduced(
  _ bytes: [UInt8], name: String, side: Int, share: Double = 1, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> ReducedPicture {
  guard try identify(bytes, name: name) == .jpeg else {
    let frame = try decode(bytes, name: name, options: options)
    return ReducedPicture(frame: frame, part: frame.size.bounds, whole: frame.size)
  }
  let (stored, size) = try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> (Frame, Size) in
    try JPEGDecoder(Source(bytes: buffer, name: name, options: options)).decodeLuma(side: side, share: share)
  }
  let orientation = stored.metadata.storedOrientation
  do {
    return ReducedPicture(
      frame: try stored.oriented(orientation, budget: options.budget),
      part: stored.size.bounds.oriented(orientation, storedSize: size), whole: size.oriented(orientation))
  } catch {
    throw .allocation(name: name, error)
  }
}
