package import Frames

/// Reads what a picture's file carries beside its samples, without decoding any: profile, Exif, XMP.
///
/// Of a JPEG XL file only blocks that are not compressed are found.
/// - Parameters:
///   - bytes: the whole file; of a JPEG, its beginning up to the first scan will do.
///   - name: what messages call it.
///   - options: how, and within which limits.
/// - Throws: `CodecError`.
package func readMetadata(
  _ bytes: [UInt8], name: String, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> Metadata {
  let format = try identify(bytes, name: name)
  return try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> Metadata in
    let source = Source(bytes: buffer, name: name, options: options)
    switch format {
    case .jpeg: return try JPEGDecoder(source).metadata()
    case .png: return try PNGDecoder(source).metadata()
    case .webp: return try WebPDecoder(source).metadata()
    case .heif, .avif: return try HEIFDecoder(source, format: format).metadata()
    case .jpegXL: return JPEGXLDecoder.containerMetadata(of: source)
    case .raw, .tiff: return MetadataEditor.read(source)
    }
  }
}
