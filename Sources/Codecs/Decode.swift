public import Frames

/// Decodes a picture of any known format, upright, its planes in their native encoding.
///
/// The format is decided by content. Alpha is dropped: the colours below it are taken as they are stored.
/// - Parameters:
///   - bytes: the whole file.
///   - name: what messages call it.
///   - picture: which of `PictureSeries.pictures`, from 0; nil for the primary or first picture, which others have.
///   - options: how, and within which limits.
/// - Throws: `CodecError`; whatever the bytes are, nothing worse happens.
public func decode(
  _ bytes: [UInt8], name: String, picture: Int? = nil, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> Frame {
  let format = try identify(bytes, name: name)
  let stored = try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> Frame in
    let source = Source(bytes: buffer, name: name, options: options)
    switch format {
    case .jpeg: return try JPEGDecoder(source).decode()
    case .png: return try PNGDecoder(source).decode()
    case .webp: return try WebPDecoder(source).decode()
    case .heif, .avif: return try HEIFDecoder(source, format: format, picture: picture).decode()
    case .jpegXL: return try JPEGXLDecoder(source).decode()
    case .raw: return try RAWDecoder(source).decode()
    case .tiff:
      let decoder = try TIFFDecoder(source, page: picture)
      return decoder.isRaw ? try RAWDecoder(source).decode() : try decoder.decode()
    }
  }
  do {
    return try stored.oriented(stored.metadata.storedOrientation, budget: options.budget)
  } catch {
    throw .allocation(name: name, error)
  }
}

/// Reads what a picture's header says without decoding any pixel.
/// - Throws: `CodecError`, also when the header claims more than `options.limits` allow.
public func readHeader(
  _ bytes: [UInt8], name: String, options: DecodeOptions = DecodeOptions()
) throws(CodecError) -> PictureHeader {
  let format = try identify(bytes, name: name)
  return try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> PictureHeader in
    let source = Source(bytes: buffer, name: name, options: options)
    switch format {
    case .jpeg: return try JPEGDecoder(source).header()
    case .png: return try PNGDecoder(source).header()
    case .webp: return try WebPDecoder(source).header()
    case .heif, .avif: return try HEIFDecoder(source, format: format).header()
    case .jpegXL: return try JPEGXLDecoder(source).header()
    case .raw: return try RAWDecoder(source).header()
    case .tiff:
      let decoder = try TIFFDecoder(source)
      return decoder.isRaw ? try RAWDecoder(source).header() : decoder.header()
    }
  }
}

func identify(_ bytes: [UInt8], name: String) throws(CodecError) -> ImageFormat {
  guard !bytes.isEmpty else { throw .empty(name: name) }
  guard let format = ImageFormat.sniff(bytes) else {
    throw .unrecognized(name: name, ForeignFormat.sniff(bytes))
  }
  return format
}

/// One file on its way through a decoder, and the errors that speak of it; valid while its bytes are.
struct Source {
  let bytes: UnsafeBufferPointer<UInt8>
  let name: String
  let options: DecodeOptions

  func checkLimits(_ size: Size) throws(CodecError) {
    guard options.limits.allow(size) else { throw .tooLarge(name: name, size: size, limit: options.limits) }
  }

  /// Libraries' words are made one line, without an end of their own.
  func damaged(_ detail: String) -> CodecError {
    .damaged(name: name, detail: detail.split(whereSeparator: \.isNewline).joined(separator: " "))
  }
  func unsupported(_ what: String) -> CodecError { .unsupported(name: name, what: what) }

  /// Memory for one plane.
  func planeBuilder(_ size: Size, bits: Int) throws(CodecError) -> PlaneBuilder {
    try planeBuilders([size], bits: bits)[0]
  }

  /// Memory for the planes of a picture, with rows to spare for decoders that write whole blocks.
  func planeBuilders(_ sizes: [Size], bits: Int, paddingRows: Int = 0) throws(CodecError) -> [PlaneBuilder] {
    do {
      return try PlaneBuilder.builders(of: sizes, bits: bits, paddingRows: paddingRows, budget: options.budget)
    } catch {
      throw .allocation(name: name, error)
    }
  }

  /// Cleared memory in one piece, for what is decoded on its way into planes.
  func scratch(byteCount: Int) throws(CodecError) -> PlaneBuilder {
    let memory = try planeBuilder(Size(width: byteCount, height: 1), bits: 8)
    memory.clear()
    return memory
  }

  /// A file's ICC profile; nil for none or an empty one.
  /// - Throws: `CodecError.tooMuchMetadata` when it is longer than the limits allow.
  func profile(_ bytes: (some Collection<UInt8>)?) throws(CodecError) -> [UInt8]? {
    guard let bytes, !bytes.isEmpty else { return nil }
    try checkProfile(byteCount: bytes.count)
    return Array(bytes)
  }

  func checkProfile(byteCount: Int) throws(CodecError) {
    let limit = options.limits.maximumProfileBytes
    guard byteCount <= limit else { throw .tooMuchMetadata(name: name, bytes: byteCount, limit: limit) }
  }
}
