import CHeif
import Frames

/// HEIC (x265) and AVIF (aom) from planes, by libheif; 8, 10 or 12 bits, subsampling and matrix as the frame's.
struct HEIFEncoder {
  let options: EncodeOptions
  /// How viewers are told to turn the picture; plates are upright, tests are not.
  var orientation = heif_orientation_normal
  /// Whether the planes are coded as they are, whatever the quality; for tests.
  var isLossless = false

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    // libheif's own bound.
    guard frame.size.width <= 32_768, frame.size.height <= 32_768 else {
      throw .tooLargeForFormat(format: options.format, size: frame.size, maximumDimension: 32_768)
    }
    guard isHEIFThere else { throw .encodingFailed(format: options.format, detail: "libheif is missing") }
    let ready = try frame.prepared(for: layout(for: frame))
    guard let context = heif.heif_context_alloc() else { throw .allocation(name: frame.name, .outOfMemory(bytes: 0)) }
    defer { heif.heif_context_free(context) }
    let image = try makeImage(ready, metadata)
    defer { heif.heif_image_release(image) }
    let handle = try compress(image, ready, context)
    defer { heif.heif_image_handle_release(handle) }
    if let exif = metadata.exif {
      try check(heif.heif_context_add_exif_metadata(context, handle, exif, Int32(exif.count)))
    }
    if let xmp = metadata.xmp { try check(heif.heif_context_add_XMP_metadata(context, handle, xmp, Int32(xmp.count))) }
    return try write(context)
  }

  private func layout(for frame: Frame) -> PixelLayout {
    let bits = options.bits(of: frame)
    switch frame.encoding {
    case .grey: return PixelLayout(encoding: .grey(.full), bits: bits)
    case .rgb: return PixelLayout(encoding: .yCbCr(.bt601, .full), bits: bits)
    case .yCbCr(let matrix, _):
      let grid =
        switch (frame.grids[1].scaleX, frame.grids[1].scaleY) {
        case (1, 1): PlaneGrid.full
        case (2, 1): PlaneGrid(scaleX: 2, scaleY: 1)
        default: PlaneGrid(scaleX: 2, scaleY: 2)
        }
      return PixelLayout(encoding: .yCbCr(matrix, .full), bits: bits, grids: [.full, grid, grid])
    }
  }

  private func makeImage(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> OpaquePointer {
    let isGrey = frame.planes.count == 1
    var image: OpaquePointer?
    try check(
      heif.heif_image_create(
        Int32(frame.size.width), Int32(frame.size.height), isGrey ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
        chroma(of: frame), &image))
    guard let image else { throw .allocation(name: frame.name, .outOfMemory(bytes: frame.byteCount)) }
    do {
      for (plane, channel) in zip(frame.planes, [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]) {
        try copy(plane, to: channel, of: image)
      }
      if let profile = metadata.iccProfile {
        try check(heif.heif_image_set_raw_color_profile(image, "prof", profile, profile.count))
      }
      var points = heif_color_profile_nclx()
      points.version = 1
      points.color_primaries = heif_color_primaries_ITU_R_BT_709_5
      points.transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1
      points.matrix_coefficients = matrix(of: frame)
      points.full_range_flag = 1
      try check(heif.heif_image_set_nclx_color_profile(image, &points))
    } catch {
      heif.heif_image_release(image)
      throw error
    }
    return image
  }

  private func copy(_ plane: Plane, to channel: heif_channel, of image: OpaquePointer) throws(CodecError) {
    try check(heif.heif_image_add_plane(image, channel, Int32(plane.width), Int32(plane.height), Int32(plane.bits)))
    var stride = Int32(0)
    guard let start = heif.heif_image_get_plane(image, channel, &stride) else {
      throw .encodingFailed(format: options.format, detail: "no memory for a plane")
    }
    plane.withUnsafeBytes { samples in
      for y in 0..<plane.height {
        UnsafeMutableRawPointer(start + y * Int(stride)).copyMemory(
          from: samples + y * plane.stride, byteCount: plane.width * plane.bytesPerSample)
      }
    }
  }

  private func compress(_ image: OpaquePointer, _ frame: Frame, _ context: OpaquePointer) throws(CodecError)
    -> OpaquePointer
  {
    var encoder: OpaquePointer?
    let kind = options.format == .avif ? heif_compression_AV1 : heif_compression_HEVC
    guard heif.heif_context_get_encoder_for_format(context, kind, &encoder).code == heif_error_Ok, let encoder else {
      throw .unsupported(
        name: frame.name, what: "writing \(options.format.rawValue): libheif has no encoder for it here")
    }
    defer { heif.heif_encoder_release(encoder) }
    try check(heif.heif_encoder_set_lossy_quality(encoder, Int32(options.quality)))
    if isLossless { try check(heif.heif_encoder_set_lossless(encoder, 1)) }
    // x265's "slow", libheif's default, takes six times as long for 2 % of the bytes.
    if kind == heif_compression_HEVC { try check(heif.heif_encoder_set_parameter_string(encoder, "preset", "fast")) }
    let chroma =
      switch chroma(of: frame) {
      case heif_chroma_422: "422"
      case heif_chroma_444: "444"
      default: "420"
      }
    try check(heif.heif_encoder_set_parameter_string(encoder, "chroma", chroma))
    let settings = heif.heif_encoding_options_alloc()
    defer { heif.heif_encoding_options_free(settings) }
    settings?.pointee.save_two_colr_boxes_when_ICC_and_nclx_available = 1
    settings?.pointee.macOS_compatibility_workaround_no_nclx_profile = 0
    settings?.pointee.image_orientation = orientation
    var handle: OpaquePointer?
    try check(heif.heif_context_encode_image(context, image, encoder, settings, &handle))
    return handle!
  }

  private func write(_ context: OpaquePointer) throws(CodecError) -> [UInt8] {
    final class Output { var bytes: [UInt8] = [] }
    let output = Output()
    var writer = heif_writer()
    writer.writer_api_version = 1
    writer.write = { _, data, size, user in
      let output = Unmanaged<Output>.fromOpaque(user!).takeUnretainedValue()
      output.bytes += UnsafeRawBufferPointer(start: data, count: size)
      return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
    }
    try check(heif.heif_context_write(context, &writer, Unmanaged.passUnretained(output).toOpaque()))
    return output.bytes
  }

  private func chroma(of frame: Frame) -> heif_chroma {
    guard frame.planes.count > 1 else { return heif_chroma_monochrome }
    switch (frame.grids[1].scaleX, frame.grids[1].scaleY) {
    case (1, 1): return heif_chroma_444
    case (2, 1): return heif_chroma_422
    default: return heif_chroma_420
    }
  }

  private func matrix(of frame: Frame) -> heif_matrix_coefficients {
    guard case .yCbCr(let matrix, _) = frame.encoding else { return heif_matrix_coefficients_ITU_R_BT_601_6 }
    return switch matrix {
    case .bt601: heif_matrix_coefficients_ITU_R_BT_601_6
    case .bt709: heif_matrix_coefficients_ITU_R_BT_709_5
    case .bt2020: heif_matrix_coefficients_ITU_R_BT_2020_2_non_constant_luminance
    }
  }

  private func check(_ error: heif_error) throws(CodecError) {
    guard error.code != heif_error_Ok else { return }
    throw .encodingFailed(
      format: options.format, detail: error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)")
  }
}
