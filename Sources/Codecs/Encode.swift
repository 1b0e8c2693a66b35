public import Frames

/// Encodes an upright frame; its metadata (profile, EXIF, XMP, IPTC) goes with it, edited to fit: orientation 1,
/// the new size, no thumbnail, our name and what was done.
///
/// What the format cannot hold is converted exactly once: depth is rounded, limited range becomes full,
/// other matrices become the format's, chroma moves to a grid that the format has.
/// - Parameters:
///   - frame: an upright picture.
///   - alpha: how opaque each pixel is, of the frame's size, in a depth of its own: 0 lets everything behind it through, the
///     largest sample nothing. The frame's colours are not multiplied by it. Nil: all is opaque.
///   - options: the format, and how.
/// - Throws: `CodecError`; `CodecError.noAlpha` when there is alpha and the format does not hold it.
public func encode(_ frame: Frame, alpha: Plane? = nil, options: EncodeOptions) throws(CodecError) -> [UInt8] {
  if let alpha {
    precondition(alpha.width == frame.size.width && alpha.height == frame.size.height)
    guard options.format.holdsAlpha else { throw .noAlpha(format: options.format) }
  }
  var metadata = MetadataEditor.plateMetadata(from: frame.metadata, size: frame.size, options: options)
  if frame.hasProfileOfAnotherKind { metadata.iccProfile = nil }
  switch options.format {
  case .jpeg: return try JPEGEncoder(options: options).encode(frame, metadata)
  case .png: return try PNGEncoder(options: options).encode(frame, alpha, metadata)
  case .webp: return try WebPEncoder(options: options).encode(frame, alpha, metadata)
  case .heif, .avif: return try HEIFEncoder(options: options).encode(frame, metadata)
  case .tiff: return try TIFFEncoder(options: options).encode(frame, alpha, metadata)
  case .jpegXL: return try JPEGXLEncoder(options: options).encode(frame, metadata)
  case .raw: throw CodecError.unsupported(name: frame.name, what: "writing RAW")
  }
}

extension EncodeOptions {
  /// The nearest of the format's depths that is no less than what is wanted, or the last.
  func bits(of frame: Frame) -> Int {
    let wanted =
      switch depth {
      case .automatic: frame.bits
      case .bits(let bits): min(max(bits, 8), 16)
      }
    let depths = format.depths
    return depths.first { $0 >= wanted } ?? depths[depths.count - 1]
  }
}

extension Frame {
  /// Grey pictures sometimes carry a profile for R, G, B, and the other way round: encoders refuse them, and
  /// viewers ignore such a profile.
  fileprivate var hasProfileOfAnotherKind: Bool {
    let isGrey = encoding.planeCount == 1
    guard let bytes = metadata.iccProfile, let profile = ColourProfile(bytes, isGrey: isGrey) else { return false }
    return profile.kind != (isGrey ? .grey : .rgb)
  }

  /// `converted(to:)` with its error told as an encoder's.
  func prepared(for layout: PixelLayout) throws(CodecError) -> Frame {
    do {
      return try converted(to: layout)
    } catch {
      throw .allocation(name: name, error)
    }
  }

  /// The planes in `layout`, and after them how opaque they are, in the same depth.
  func prepared(for layout: PixelLayout, alpha: Plane?) throws(CodecError) -> [Plane] {
    let colours = try prepared(for: layout).planes
    guard let alpha else { return colours }
    let opacity = Frame(planes: [alpha], encoding: .grey(.full), name: name)
    return try colours + opacity.prepared(for: PixelLayout(encoding: .grey(.full), bits: layout.bits)).planes
  }
}
