import CSpng
import Frames

/// PNG to planar R, G, B or grey, by libspng. Palettes are expanded, interlacing undone, gAMA and cHRM ignored
/// (as sRGB viewers do), alpha dropped.
final class PNGDecoder {
  private let source: Source
  private let context: OpaquePointer
  private let texts: PNGTexts
  private var picture = spng_ihdr()
  /// Whether a colour stands for transparent, or some of a palette's are.
  private var hasTransparentColours = false
  private var isTransparent = false

  init(_ source: Source) throws(CodecError) {
    self.source = source
    guard let context = spng_ctx_new(0) else { throw .allocation(name: source.name, .outOfMemory(bytes: 0)) }
    self.context = context
    texts = PNGTexts(of: source)
    let limits = source.options.limits
    let largest = max(limits.maximumMetadataBytes, limits.maximumProfileBytes)
    // Sizes are checked against our own limits below, which tells them in our words.
    try check(spng_set_image_limits(context, 0x7FFF_FFFF, 0x7FFF_FFFF))
    try check(spng_set_chunk_limits(context, largest, 2 * largest))
    // A damaged chunk of metadata must not lose the picture.
    try check(spng_set_crc_action(context, Int32(SPNG_CRC_ERROR.rawValue), Int32(SPNG_CRC_DISCARD.rawValue)))
    try check(spng_set_png_buffer(context, texts.rest.baseAddress, texts.rest.count))
    try check(spng_get_ihdr(context, &picture))
    try source.checkLimits(size)
    var colours = spng_trns()
    hasTransparentColours = spng_get_trns(context, &colours) == 0
  }

  deinit { spng_ctx_free(context) }

  func header() throws(CodecError) -> PictureHeader {
    let metadata = try metadata()
    return PictureHeader(format: .png, storedSize: size, bits: bits, orientation: metadata.storedOrientation)
  }

  func decode() throws(CodecError) -> Frame {
    var metadata = try metadata()
    let planes = picture.interlace_method == 0 ? try decodeRows() : try decodeWhole()
    // A file that stops after its last row lacks what follows, if only the end chunk.
    if !source.options.acceptsDamaged { try check(spng_decode_chunks(context)) }
    if isTransparent { metadata.lost.insert(.transparency) }
    return Frame(planes: planes, encoding: isGrey ? .grey(.full) : .rgb, name: source.name, metadata: metadata)
  }

  private var size: Size { Size(width: Int(picture.width), height: Int(picture.height)) }
  private var bits: Int { picture.bit_depth == 16 ? 16 : 8 }
  private var isGrey: Bool {
    [SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA].contains { $0.rawValue == UInt32(picture.color_type) }
  }
  private var hasAlpha: Bool {
    hasTransparentColours
      || [SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA].contains {
        $0.rawValue == UInt32(picture.color_type)
      }
  }
  private var channels: Int { (isGrey ? 1 : 3) + (hasAlpha ? 1 : 0) }
  /// What libspng is asked for: the file's own samples, or bytes where they are packed or indexed; with alpha where colours
  /// are transparent.
  private var format: spng_format {
    switch (hasTransparentColours, isGrey, bits) {
    case (true, true, 8): SPNG_FMT_GA8
    case (true, true, _): SPNG_FMT_GA16
    case (true, false, 8): SPNG_FMT_RGBA8
    case (true, false, _): SPNG_FMT_RGBA16
    case _ where picture.color_type == UInt8(SPNG_COLOR_TYPE_INDEXED.rawValue): SPNG_FMT_RGB8
    default: picture.bit_depth < 8 ? SPNG_FMT_G8 : SPNG_FMT_PNG
    }
  }
  private var flags: Int32 {
    Int32(SPNG_DECODE_PROGRESSIVE.rawValue) | (hasTransparentColours ? Int32(SPNG_DECODE_TRNS.rawValue) : 0)
  }
  private var rowBytes: Int { size.width * channels * (bits / 8) }

  private func decodeRows() throws(CodecError) -> [Plane] {
    try check(spng_decode_image(context, nil, 0, format.rawValue.signed, flags))
    let row = UnsafeMutableRawBufferPointer.allocate(byteCount: rowBytes, alignment: 16)
    defer { row.deallocate() }
    var isBroken = false
    return try source.deinterleave(size: size, channels: channels, taking: isGrey ? 1 : 3, bits: bits) {
      y throws(CodecError) in
      if !isBroken {
        let code = spng_decode_row(context, row.baseAddress, row.count)
        isBroken = code != 0 && code != Int32(SPNG_EOI.rawValue)
        if isBroken {
          guard source.options.acceptsDamaged, y > 0 else { throw error(code) }
          // The rest of a damaged picture stays black.
          row.initializeMemory(as: UInt8.self, repeating: 0)
        }
        look(atRow: row.baseAddress!)
      }
      return UnsafeRawPointer(row.baseAddress!)
    }
  }

  /// Interlaced pictures become whole only with their last pass.
  private func decodeWhole() throws(CodecError) -> [Plane] {
    let rowBytes = rowBytes
    let whole = try source.planeBuilder(Size(width: rowBytes, height: size.height), bits: 8)
    // libspng leaves the samples of missing passes as they are.
    whole.base.initializeMemory(as: UInt8.self, repeating: 0, count: whole.stride * size.height)
    try check(spng_decode_image(context, nil, 0, format.rawValue.signed, flags))
    var information = spng_row_info()
    decoding: while true {
      var code = spng_get_row_info(context, &information)
      if code == 0 {
        code = spng_decode_row(context, whole.base + Int(information.row_num) * whole.stride, rowBytes)
      }
      switch code {
      case 0: continue
      case Int32(SPNG_EOI.rawValue): break decoding
      default:
        guard source.options.acceptsDamaged else { throw error(code) }
        break decoding
      }
    }
    return try source.deinterleave(size: size, channels: channels, taking: isGrey ? 1 : 3, bits: bits) { y in
      look(atRow: whole.base + y * whole.stride)
      return UnsafeRawPointer(whole.base + y * whole.stride)
    }
  }

  /// Whether something in a row is transparent.
  private func look(atRow row: UnsafeRawPointer) {
    guard hasAlpha, !isTransparent else { return }
    isTransparent = Codecs.isTransparent(alpha: channels - 1, of: channels, in: row, count: size.width, bits: bits)
  }

  func metadata() throws(CodecError) -> Metadata {
    var metadata = Metadata()
    var profile = spng_iccp()
    if spng_get_iccp(context, &profile) == 0, let start = profile.profile {
      try source.checkProfile(byteCount: profile.profile_len)
      metadata.iccProfile = bytes(start, profile.profile_len)
    }
    if !isGrey { metadata.iccProfile = metadata.iccProfile ?? texts.namedProfile }
    var exif = spng_exif()
    if spng_get_exif(context, &exif) == 0, let start = exif.data { metadata.exif = bytes(start, exif.length) }
    metadata.exif = metadata.exif ?? texts.exif
    metadata.xmp = texts.xmp
    metadata.lost = texts.lost
    metadata.storedOrientation = metadata.exif.map { ExifOrientation.find(in: $0) } ?? .up
    return metadata
  }

  private func bytes(_ start: UnsafeRawPointer, _ count: Int) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func check(_ code: Int32) throws(CodecError) {
    guard code == 0 else { throw error(code) }
  }

  private func error(_ code: Int32) -> CodecError {
    code == Int32(SPNG_EMEM.rawValue)
      ? .allocation(name: source.name, .outOfMemory(bytes: rowBytes * size.height))
      : source.damaged(String(cString: spng_strerror(code)))
  }
}
