import CJXL
import Frames

/// JPEG XL, its first frame, by libjxl: integers up to 16 bits, grey or R, G, B.
final class JPEGXLDecoder {
  private let source: Source
  private let decoder: OpaquePointer
  private let boxes: JPEGXLBoxes
  private var basic = JxlBasicInfo()
  private var profile: [UInt8]?

  init(_ source: Source) throws(CodecError) {
    self.source = source
    guard isJXLThere else { throw .unsupported(name: source.name, what: "JPEG XL without libjxl") }
    guard let decoder = jxl.JxlDecoderCreate(nil) else { throw .allocation(name: source.name, .outOfMemory(bytes: 0)) }
    self.decoder = decoder
    boxes = JPEGXLBoxes(decoder, limit: source.options.limits.maximumMetadataBytes)
    let events = [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FULL_IMAGE, JXL_DEC_BOX]
    _ = jxl.JxlDecoderSubscribeEvents(decoder, Int32(events.reduce(0) { $0 | $1.rawValue }))
    _ = jxl.JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE)
    _ = jxl.JxlDecoderSetInput(decoder, source.bytes.baseAddress, source.bytes.count)
    jxl.JxlDecoderCloseInput(decoder)
    try readHeader()
    try source.checkLimits(size)
  }

  deinit { jxl.JxlDecoderDestroy(decoder) }

  /// The decoder turns the picture upright itself, its size as well.
  private var size: Size { Size(width: Int(basic.xsize), height: Int(basic.ysize)) }
  private var bits: Int { basic.bits_per_sample > 8 ? 16 : 8 }
  private var channels: Int { basic.num_color_channels == 1 ? 1 : 3 }
  private var hasAlpha: Bool { basic.alpha_bits > 0 }
  private var isAnimated: Bool { basic.have_animation == JXL_TRUE }

  func header() -> PictureHeader {
    PictureHeader(format: .jpegXL, storedSize: size, bits: bits, orientation: .up)
  }

  func decode() throws(CodecError) -> Frame {
    let profile = try source.profile(profile)
    let planes = try source.planeBuilders(Array(repeating: size, count: channels), bits: bits)
    let isTransparent = try readPicture(into: planes)
    // The decoder has turned the picture; Exif's orientation repeats what it did.
    var metadata = Metadata(
      iccProfile: profile, exif: Metadata.exif(behindOffset: boxes.exif), xmp: boxes.xmp.isEmpty ? nil : boxes.xmp)
    if isAnimated { metadata.lost.insert(.furtherPictures) }
    if isTransparent { metadata.lost.insert(.transparency) }
    return Frame(
      planes: planes.map { $0.finish() }, encoding: channels == 1 ? .grey(.full) : .rgb, name: source.name,
      metadata: metadata)
  }

  /// The blocks of the container (ISO/IEC 18181-2) that are not compressed.
  static func containerMetadata(of source: Source) -> Metadata {
    var metadata = Metadata()
    let limit = source.options.limits.maximumMetadataBytes
    BoxReader(source.bytes).forEach(in: source.bytes.indices) { type, body in
      guard body.count <= limit else { return }
      if type == "xml " { metadata.xmp = Array(source.bytes[body]) }
      if type == "Exif", let exif = Metadata.exif(behindOffset: source.bytes[body]) { metadata.exif = exif }
    }
    return metadata
  }

  private func readHeader() throws(CodecError) {
    while true {
      switch boxes.step() {
      case JXL_DEC_BASIC_INFO: try readBasicInfo()
      case JXL_DEC_COLOR_ENCODING:
        profile = codedProfile()
        return
      case let status: throw damaged(status)
      }
    }
  }

  private func readBasicInfo() throws(CodecError) {
    guard jxl.JxlDecoderGetBasicInfo(decoder, &basic) == JXL_DEC_SUCCESS, basic.xsize <= Int32.max,
      basic.ysize <= Int32.max
    else { throw source.damaged("the header is broken") }
    if basic.exponent_bits_per_sample > 0 { throw source.unsupported("floating-point samples") }
    if basic.bits_per_sample > 16 { throw source.unsupported("\(basic.bits_per_sample) bits a sample") }
    for channel in 0..<min(Int(basic.num_extra_channels), 16) {
      var extra = JxlExtraChannelInfo()
      if jxl.JxlDecoderGetExtraChannelInfo(decoder, channel, &extra) == JXL_DEC_SUCCESS, extra.type == JXL_CHANNEL_BLACK
      {
        throw source.unsupported("CMYK colours")
      }
    }
  }

  /// The profile of the samples; nil for sRGB.
  private func codedProfile() -> [UInt8]? {
    var length = 0
    guard !isSRGB,
      jxl.JxlDecoderGetICCProfileSize(decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, &length) == JXL_DEC_SUCCESS,
      length > 0
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    return jxl.JxlDecoderGetColorAsICCProfile(decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, &bytes, length)
      == JXL_DEC_SUCCESS ? bytes : nil
  }

  private var isSRGB: Bool {
    var encoding = JxlColorEncoding()
    guard
      jxl.JxlDecoderGetColorAsEncodedProfile(decoder, nil, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) == JXL_DEC_SUCCESS
    else { return false }
    return encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB && encoding.white_point == JXL_WHITE_POINT_D65
      && (encoding.color_space == JXL_COLOR_SPACE_GRAY || encoding.primaries == JXL_PRIMARIES_SRGB)
  }

  /// - Returns: whether something is transparent.
  private func readPicture(into planes: [PlaneBuilder]) throws(CodecError) -> Bool {
    let target = Target(planes: planes, channels: channels + (hasAlpha ? 1 : 0))
    var hasPicture = false
    try withExtendedLifetime(target) { () throws(CodecError) in
      reading: while true {
        switch boxes.step() {
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try send(to: target)
        case JXL_DEC_FULL_IMAGE:
          hasPicture = true
          // The first frame of an animation is enough.
          if isAnimated { break reading }
        case JXL_DEC_SUCCESS: break reading
        case let status:
          if hasPicture { break reading }
          guard source.options.acceptsDamaged, jxl.JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS else {
            throw damaged(status)
          }
          hasPicture = true
          break reading
        }
      }
    }
    guard hasPicture else { throw source.damaged("it holds no picture") }
    return target.isTransparent
  }

  /// Where the decoder puts pixels.
  private final class Target {
    let planes: [PlaneBuilder]
    /// Samples of a pixel: the planes', and alpha if there is any.
    let channels: Int
    private(set) var isTransparent = false

    init(planes: [PlaneBuilder], channels: Int) { (self.planes, self.channels) = (planes, channels) }

    func put(_ pixels: UnsafeRawPointer, count: Int, x: Int, y: Int) {
      guard y < planes[0].height, x < planes[0].width else { return }
      let columns = min(count, planes[0].width - x)
      for (channel, plane) in planes.enumerated() {
        plane.take(channel, of: channels, from: pixels, count: columns, x: x, y: y)
      }
      if channels > planes.count, !isTransparent {
        isTransparent = Codecs.isTransparent(
          alpha: planes.count, of: channels, in: pixels, count: columns, bits: planes[0].bits)
      }
    }
  }

  private func send(to target: Target) throws(CodecError) {
    var format = JxlPixelFormat(
      num_channels: UInt32(target.channels), data_type: bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
      endianness: JXL_NATIVE_ENDIAN, align: 0)
    let isTaken = jxl.JxlDecoderSetImageOutCallback(
      decoder, &format,
      { target, x, y, count, pixels in
        guard let target, let pixels else { return }
        Unmanaged<Target>.fromOpaque(target).takeUnretainedValue().put(pixels, count: count, x: x, y: y)
      }, Unmanaged.passUnretained(target).toOpaque())
    guard isTaken == JXL_DEC_SUCCESS else { throw source.damaged("the decoder takes no output") }
  }

  private func damaged(_ status: JxlDecoderStatus) -> CodecError {
    source.damaged(status == JXL_DEC_NEED_MORE_INPUT ? "it ends early" : "the data are broken")
  }
}
