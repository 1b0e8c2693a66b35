import CShimLibraries
import Frames

/// JPEG XL, its first frame, by libjxl (`CShim/Libraries/jxlread.cpp`): integers up to 16 bits, grey or R, G, B.
final class JPEGXLDecoder {
  private let source: Source
  private let jxl: OpaquePointer
  private let info: cs_picture_info

  init(_ source: Source) throws(CodecError) {
    self.source = source
    var jxl: OpaquePointer?
    try source.check(cs_jxl_open(source.shimBytes, source.options.limits.maximumMetadataBytes, &jxl))
    self.jxl = jxl!
    info = cs_jxl_info(jxl)
    try source.checkLimits(info.size)
  }

  deinit { cs_jxl_free(jxl) }

  func header() -> PictureHeader { source.header(.jpegXL, info) }

  func decode() throws(CodecError) -> Frame {
    let profile = try source.profile(cs_jxl_profile(jxl))
    let (planes, encoding) = try source.frame(info) { cs_jxl_read(jxl, $0, $1) }
    let blocks = cs_jxl_metadata(jxl)
    // The decoder has turned the picture; Exif's orientation repeats what it did.
    let metadata = Metadata(
      iccProfile: profile, exif: copy(blocks.exif), xmp: copy(blocks.xmp),
      lost: cs_jxl_is_animated(jxl) != 0 ? [.furtherPictures] : [])
    return Frame(planes: planes, encoding: encoding, name: source.name, metadata: metadata)
  }

  /// The blocks of the container (ISO/IEC 18181-2) that are not compressed.
  static func containerMetadata(of source: Source) -> Metadata {
    var metadata = Metadata()
    let limit = source.options.limits.maximumMetadataBytes
    BoxReader(source.bytes).forEach(in: source.bytes.indices) { type, body in
      guard body.count <= limit else { return }
      if type == "xml " { metadata.xmp = Array(source.bytes[body]) }
      // The offset of the TIFF header, from its own end, comes first.
      guard type == "Exif", body.count > 4 else { return }
      let offset = source.bytes[body].prefix(4).reduce(0) { $0 << 8 | Int($1) }
      if offset < body.count - 4 { metadata.exif = Array(source.bytes[body].dropFirst(4 + offset)) }
    }
    return metadata
  }

  private func copy(_ block: cs_bytes) -> [UInt8]? {
    block.count > 0 ? Array(UnsafeBufferPointer(start: block.bytes, count: block.count)) : nil
  }
}
