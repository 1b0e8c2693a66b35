import CWebP
import Frames

/// WebP by libwebp: lossy from Y'CbCr 4:2:0 planes, lossless at quality 100.
struct WebPEncoder {
  let options: EncodeOptions

  /// WebP's largest side, in pixels.
  static let maximumDimension = 16_383

  func encode(_ frame: Frame, _ alpha: Plane?, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    guard max(frame.size.width, frame.size.height) <= Self.maximumDimension else {
      throw .tooLargeForFormat(format: .webp, size: frame.size, maximumDimension: Self.maximumDimension)
    }
    var configuration = WebPConfig()
    guard
      WebPConfigInitInternal(&configuration, WEBP_PRESET_PHOTO, Float(options.quality), WEBP_ENCODER_ABI_VERSION) != 0
    else { throw failure("the library's version differs") }
    let isLossless = options.quality == 100
    if isLossless { configuration.lossless = 1 }
    let body =
      isLossless ? try encodeLossless(frame, alpha, &configuration) : try encodeLossy(frame, alpha, &configuration)
    return try assemble(body, metadata)
  }

  private func encodeLossy(
    _ frame: Frame, _ alpha: Plane?, _ configuration: inout WebPConfig
  ) throws(CodecError) -> [UInt8] {
    let chroma = PlaneGrid(scaleX: 2, scaleY: 2)
    let layout = PixelLayout(encoding: .yCbCr(.bt601, .limited), bits: 8, grids: [.full, chroma, chroma])
    let planes = try frame.prepared(for: layout, alpha: alpha)
    return try withExtendedLifetime(planes) { () throws(CodecError) in
      // The encoder only reads what stands here.
      let pointers = planes.map { plane in
        plane.withUnsafeBytes { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self)) }
      }
      return try run(frame, &configuration) { picture in
        picture.use_argb = 0
        picture.colorspace = alpha == nil ? WEBP_YUV420 : WEBP_YUV420A
        (picture.y, picture.u, picture.v) = (pointers[0], pointers[1], pointers[2])
        (picture.y_stride, picture.uv_stride) = (Int32(planes[0].stride), Int32(planes[1].stride))
        if alpha != nil { (picture.a, picture.a_stride) = (pointers[3], Int32(planes[3].stride)) }
        return true
      }
    }
  }

  private func encodeLossless(
    _ frame: Frame, _ alpha: Plane?, _ configuration: inout WebPConfig
  ) throws(CodecError) -> [UInt8] {
    let ready = try frame.prepared(for: PixelLayout(encoding: .rgb, bits: 8), alpha: alpha)
    let rowBytes = ready.count * frame.size.width
    var pixels = [UInt8](repeating: 0, count: rowBytes * frame.size.height)
    pixels.withUnsafeMutableBufferPointer { pixels in
      for y in 0..<frame.size.height {
        ready.interleave(row: y, into: UnsafeMutableBufferPointer(rebasing: pixels[y * rowBytes..<(y + 1) * rowBytes]))
      }
    }
    return try run(frame, &configuration) { picture in
      picture.use_argb = 1
      let take = alpha == nil ? WebPPictureImportRGB : WebPPictureImportRGBA
      return take(&picture, pixels, Int32(rowBytes)) != 0
    }
  }

  private func run(
    _ frame: Frame, _ configuration: inout WebPConfig, fill: (inout WebPPicture) -> Bool
  ) throws(CodecError) -> [UInt8] {
    var picture = WebPPicture()
    guard WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0 else {
      throw failure("the library's version differs")
    }
    defer { WebPPictureFree(&picture) }
    (picture.width, picture.height) = (Int32(frame.size.width), Int32(frame.size.height))
    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    guard fill(&picture) else { throw .allocation(name: frame.name, .outOfMemory(bytes: 4 * frame.size.area)) }
    let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
      picture.writer = WebPMemoryWrite
      picture.custom_ptr = UnsafeMutableRawPointer(writer)
      return WebPEncode(&configuration, &picture) != 0
    }
    guard isEncoded else { throw failure("error \(picture.error_code.rawValue)") }
    return Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
  }

  /// Wraps the picture with its metadata.
  private func assemble(_ body: [UInt8], _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let chunks = [("ICCP", metadata.iccProfile), ("EXIF", metadata.exif), ("XMP ", metadata.xmp)]
    guard chunks.contains(where: { $0.1 != nil }) else { return body }
    guard let mux = WebPNewInternal(WEBP_MUX_ABI_VERSION) else { throw failure("the library's version differs") }
    defer { WebPMuxDelete(mux) }
    func set(_ bytes: [UInt8], _ put: (UnsafePointer<WebPData>) -> WebPMuxError) throws(CodecError) {
      let code = bytes.withUnsafeBufferPointer { buffer in
        var data = WebPData(bytes: buffer.baseAddress, size: buffer.count)
        return put(&data)
      }
      guard code == WEBP_MUX_OK else { throw failure("container error \(code.rawValue)") }
    }
    try set(body) { WebPMuxSetImage(mux, $0, 1) }
    for (name, bytes) in chunks {
      guard let bytes, !bytes.isEmpty else { continue }
      try set(bytes) { WebPMuxSetChunk(mux, name, $0, 1) }
    }
    var output = WebPData(bytes: nil, size: 0)
    defer { WebPDataClear(&output) }
    guard WebPMuxAssemble(mux, &output) == WEBP_MUX_OK else { throw failure("the container cannot be put together") }
    return Array(UnsafeBufferPointer(start: output.bytes, count: output.size))
  }

  private func failure(_ detail: String) -> CodecError { .encodingFailed(format: .webp, detail: detail) }
}
