import CWebP
import Frames

/// WebP by libwebp: lossy pictures in their own planes (Y'CbCr 4:2:0, BT.601, limited range, as RFC 9649 has
/// it), lossless ones as R, G, B; the first frame of an animation that fills its canvas.
final class WebPDecoder {
  private let source: Source
  private let demuxer: OpaquePointer
  private var features = WebPBitstreamFeatures()
  private let fragment: WebPData

  init(_ source: Source) throws(CodecError) {
    self.source = source
    var data = WebPData(bytes: source.bytes.baseAddress, size: source.bytes.count)
    var state = WEBP_DEMUX_PARSE_ERROR
    guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION) else {
      throw source.damaged("the container is broken")
    }
    var iterator = WebPIterator()
    let canvas = Size(
      width: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH)),
      height: Int(WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT)))
    let hasFrame = WebPDemuxGetFrame(demuxer, 1, &iterator) != 0
    fragment = iterator.fragment
    WebPDemuxReleaseIterator(&iterator)
    self.demuxer = demuxer
    guard hasFrame else { throw source.damaged("it holds no whole picture") }
    guard WebPGetFeatures(fragment.bytes, fragment.size, &features) == VP8_STATUS_OK else {
      throw source.damaged("the picture's header is broken")
    }
    try source.checkLimits(size)
    guard size == canvas else { throw source.unsupported("an animation whose first frame does not fill its canvas") }
    if state != WEBP_DEMUX_DONE, !source.options.acceptsDamaged { throw source.damaged("it ends early") }
  }

  deinit { WebPDemuxDelete(demuxer) }

  func header() throws(CodecError) -> PictureHeader {
    PictureHeader(format: .webp, storedSize: size, bits: 8, orientation: try metadata().storedOrientation)
  }

  func decode() throws(CodecError) -> Frame {
    let metadata = try metadata()
    // 1 is lossy, 2 lossless.
    return features.format == 1 ? try decodePlanes(metadata) : try decodeInterleaved(metadata)
  }

  private var size: Size { Size(width: Int(features.width), height: Int(features.height)) }
  private var hasAlpha: Bool { features.has_alpha != 0 }

  private func decodePlanes(_ metadata: Metadata) throws(CodecError) -> Frame {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let grids = [PlaneGrid.full, chroma, chroma]
    let builders = try source.planeBuilders(grids.map { $0.planeSize(for: size) }, bits: 8)
    let alpha = hasAlpha ? try source.planeBuilder(size, bits: 8) : nil
    func pointer(_ plane: PlaneBuilder) -> UnsafeMutablePointer<UInt8> {
      plane.base.assumingMemoryBound(to: UInt8.self)
    }
    func length(_ plane: PlaneBuilder) -> Int { plane.stride * plane.height }
    var configuration = WebPDecoderConfig()
    WebPInitDecoderConfig(&configuration)
    configuration.output.colorspace = hasAlpha ? MODE_YUVA : MODE_YUV
    configuration.output.is_external_memory = 1
    configuration.output.u.YUVA = WebPYUVABuffer(
      y: pointer(builders[0]), u: pointer(builders[1]), v: pointer(builders[2]), a: alpha.map(pointer),
      y_stride: Int32(builders[0].stride), u_stride: Int32(builders[1].stride), v_stride: Int32(builders[2].stride),
      a_stride: Int32(alpha?.stride ?? 0), y_size: length(builders[0]), u_size: length(builders[1]),
      v_size: length(builders[2]), a_size: alpha.map(length) ?? 0)
    try run(&configuration)
    var metadata = metadata
    if let alpha, isTransparent(plane: alpha.base, stride: alpha.stride, size: size, bits: 8) {
      metadata.lost.insert(.transparency)
    }
    return Frame(
      planes: builders.map { $0.finish() }, grids: grids, encoding: .yCbCr(.bt601, .limited), name: source.name,
      metadata: metadata)
  }

  private func decodeInterleaved(_ metadata: Metadata) throws(CodecError) -> Frame {
    let channels = hasAlpha ? 4 : 3
    let whole = try source.planeBuilder(Size(width: channels * size.width, height: size.height), bits: 8)
    var configuration = WebPDecoderConfig()
    WebPInitDecoderConfig(&configuration)
    configuration.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB
    configuration.output.is_external_memory = 1
    configuration.output.u.RGBA = WebPRGBABuffer(
      rgba: whole.base.assumingMemoryBound(to: UInt8.self), stride: Int32(whole.stride),
      size: whole.stride * size.height)
    try run(&configuration)
    var metadata = metadata
    let planes = try source.deinterleave(size: size, channels: channels, taking: 3, bits: 8) { y in
      let row = UnsafeRawPointer(whole.base + y * whole.stride)
      if hasAlpha, isTransparent(alpha: 3, of: channels, in: row, count: size.width, bits: 8) {
        metadata.lost.insert(.transparency)
      }
      return row
    }
    return Frame(planes: planes, encoding: .rgb, name: source.name, metadata: metadata)
  }

  private func run(_ configuration: inout WebPDecoderConfig) throws(CodecError) {
    let code = WebPDecode(fragment.bytes, fragment.size, &configuration)
    switch code {
    case VP8_STATUS_OK: return
    case VP8_STATUS_OUT_OF_MEMORY: throw .allocation(name: source.name, .outOfMemory(bytes: 4 * size.area))
    case VP8_STATUS_UNSUPPORTED_FEATURE: throw source.unsupported("this kind of WebP")
    case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw source.damaged("it ends early")
    default: throw source.damaged("the picture's data are broken")
    }
  }

  func metadata() throws(CodecError) -> Metadata {
    var metadata = try source.webPMetadata(demuxer)
    if WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT) > 1 { metadata.lost.insert(.furtherPictures) }
    return metadata
  }
}

extension Source {
  /// The profile and the metadata in a WebP file's chunks.
  func webPMetadata(_ demuxer: OpaquePointer?) throws(CodecError) -> Metadata {
    var metadata = Metadata()
    metadata.iccProfile = try chunk(demuxer, "ICCP", profile)
    metadata.exif = try chunk(demuxer, "EXIF", block).map { block in
      // Some writers keep the marker that JPEG needs.
      block.starts(with: JPEGMarkers.exifName.utf8) ? Array(block.dropFirst(JPEGMarkers.exifName.utf8.count)) : block
    }
    metadata.xmp = try chunk(demuxer, "XMP ", block)
    metadata.storedOrientation = metadata.exif.map { ExifOrientation.find(in: $0) } ?? .up
    return metadata
  }

  private func chunk(
    _ demuxer: OpaquePointer?, _ name: String, _ body: (UnsafeBufferPointer<UInt8>) throws(CodecError) -> [UInt8]?
  ) throws(CodecError) -> [UInt8]? {
    var iterator = WebPChunkIterator()
    guard WebPDemuxGetChunk(demuxer, name, 1, &iterator) != 0 else { return nil }
    defer { WebPDemuxReleaseChunkIterator(&iterator) }
    return try body(UnsafeBufferPointer(start: iterator.chunk.bytes, count: iterator.chunk.size))
  }

  /// Nil for what is empty or too long to be kept.
  private func block(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    1...options.limits.maximumMetadataBytes ~= bytes.count ? Array(bytes) : nil
  }
}
