import CHeif
import Frames

/// HEIC and AVIF, the primary picture or another of its size, in its own planes and depth, by libheif.
///
/// libheif applies the file's rotation, mirroring and crop; Exif's orientation repeats them and is left alone
/// (ISO/IEC 23008-12, A.2.1). Subsampled chroma is taken as centred between luma samples.
final class HEIFDecoder {
  private let source: Source
  private let format: ImageFormat
  private let context: OpaquePointer
  private var handle: OpaquePointer
  private var item: heif_item_id
  /// What the file says of its items, read when it is first asked for.
  private lazy var items = HEIFItems(source.bytes)
  /// Whether nobody asked for a certain picture.
  private let isPrimary: Bool

  /// - Parameter picture: the picture's place among `pictures`; nil for the primary one.
  init(_ source: Source, format: ImageFormat, picture: Int? = nil) throws(CodecError) {
    self.source = source
    self.format = format
    guard isHEIFThere else { throw .unsupported(name: source.name, what: "HEIC and AVIF without libheif") }
    guard let context = heif.heif_context_alloc() else { throw .allocation(name: source.name, .outOfMemory(bytes: 0)) }
    // Frames are decoded side by side already.
    heif.heif_context_set_max_decoding_threads(context, 1)
    heif.heif_context_set_maximum_image_size_limit(context, Int32(clamping: source.options.limits.maximumDimension))
    var handle: OpaquePointer?
    var item = heif_item_id(0)
    do {
      try source.check(
        heif.heif_context_read_from_memory_without_copy(context, source.bytes.baseAddress, source.bytes.count, nil))
      try source.check(heif.heif_context_get_primary_image_ID(context, &item))
      try source.check(heif.heif_context_get_primary_image_handle(context, &handle))
    } catch {
      heif.heif_context_free(context)
      throw error
    }
    self.context = context
    (self.handle, self.item) = (handle!, item)
    isPrimary = picture == nil
    if let picture { try choose(picture) }
    try source.checkLimits(size)
  }

  /// The pictures of the primary one's size, in the file's order; neither thumbnails nor parts of other pictures.
  lazy var pictures: [heif_item_id] = {
    let limit = source.options.limits.maximumPictures
    let count = min(Int(heif.heif_context_get_number_of_top_level_images(context)), limit)
    var identifiers = [heif_item_id](repeating: 0, count: max(count, 0))
    let found = heif.heif_context_get_list_of_top_level_image_IDs(context, &identifiers, Int32(identifiers.count))
    return identifiers.prefix(Int(found)).filter { identifier in
      guard let other = try? handle(of: identifier) else { return false }
      defer { heif.heif_image_handle_release(other) }
      return Self.size(of: other) == size
    }
  }()

  private func handle(of identifier: heif_item_id) throws(CodecError) -> OpaquePointer {
    var found: OpaquePointer?
    try source.check(heif.heif_context_get_image_handle(context, identifier, &found))
    guard let found else { throw source.damaged("a picture is missing") }
    return found
  }

  private func choose(_ picture: Int) throws(CodecError) {
    guard pictures.indices.contains(picture) else { throw source.damaged("it has no picture \(picture + 1)") }
    let chosen = try handle(of: pictures[picture])
    heif.heif_image_handle_release(handle)
    (handle, item) = (chosen, pictures[picture])
  }

  deinit {
    heif.heif_image_handle_release(handle)
    heif.heif_context_free(context)
  }

  func header() throws(CodecError) -> PictureHeader {
    let bits = Int(heif.heif_image_handle_get_luma_bits_per_pixel(handle))
    return PictureHeader(format: format, storedSize: size, bits: bits, orientation: .up)
  }

  func decode() throws(CodecError) -> Frame {
    guard items.isWhole(item) else { throw source.damaged("a part of its picture is missing") }
    let metadata = try metadata()
    let picture = try HEIFPicture(source, handle, HEIFChroma.find(in: items, item: item))
    return try picture.frame(name: source.name, metadata: metadata, source)
  }

  /// After the transformations that the file asks for.
  private var size: Size { Self.size(of: handle) }

  private static func size(of handle: OpaquePointer) -> Size {
    Size(width: Int(heif.heif_image_handle_get_width(handle)), height: Int(heif.heif_image_handle_get_height(handle)))
  }

  func metadata() throws(CodecError) -> Metadata {
    var metadata = Metadata()
    let length = heif.heif_image_handle_get_raw_color_profile_size(handle)
    if length > 0 {
      try source.checkProfile(byteCount: length)
      var profile = [UInt8](repeating: 0, count: length)
      if heif.heif_image_handle_get_raw_color_profile(handle, &profile).code == heif_error_Ok {
        metadata.iccProfile = profile
      }
    }
    metadata.iccProfile = metadata.iccProfile ?? namedProfile
    metadata.exif = block(type: "Exif").flatMap { Metadata.exif(behindOffset: $0) }
    metadata.xmp = block(type: "mime", contentType: "application/rdf+xml")
    if items.hasGainMap { metadata.lost.insert(.gainMap) }
    if let points = colourPoints, TransferFunction.isHighDynamicRange(points.transfer) {
      metadata.lost.insert(.highDynamicRange)
    }
    if isPrimary, pictures.count > 1 { metadata.lost.insert(.furtherPictures) }
    return metadata
  }

  /// A profile for the colour primaries that the file names instead of carrying one.
  private var namedProfile: [UInt8]? { colourPoints.flatMap { ColourProfile.make(colourPrimaries: $0.primaries) } }

  /// The numbers (ITU-T H.273) by which the file names its colours.
  private var colourPoints: (primaries: Int, transfer: Int)? {
    var points: UnsafeMutablePointer<heif_color_profile_nclx>?
    // Numbers that libheif does not know are an error, and the profile is ours to free all the same.
    let error = heif.heif_image_handle_get_nclx_color_profile(handle, &points)
    defer { heif.heif_nclx_color_profile_free(points) }
    guard error.code == heif_error_Ok, let points else { return nil }
    return (Int(points.pointee.color_primaries.rawValue), Int(points.pointee.transfer_characteristics.rawValue))
  }

  private func block(type: String, contentType: String? = nil) -> [UInt8]? {
    var identifiers = [heif_item_id](repeating: 0, count: 16)
    let count = Int(heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &identifiers, 16))
    for identifier in identifiers.prefix(count) {
      if let contentType {
        guard let found = heif.heif_image_handle_get_metadata_content_type(handle, identifier),
          String(cString: found) == contentType
        else { continue }
      }
      let length = heif.heif_image_handle_get_metadata_size(handle, identifier)
      guard length > 0, length <= source.options.limits.maximumMetadataBytes else { continue }
      var block = [UInt8](repeating: 0, count: length)
      if heif.heif_image_handle_get_metadata(handle, identifier, &block).code == heif_error_Ok { return block }
    }
    return nil
  }
}

/// A decoded picture that libheif owns.
private final class HEIFPicture {
  private let coded: HEIFChroma
  private let image: OpaquePointer

  init(_ source: Source, _ handle: OpaquePointer, _ coded: HEIFChroma) throws(CodecError) {
    self.coded = coded
    do {
      image = try HEIFPicture.decode(
        source, handle, coded == .monochrome ? heif_colorspace_monochrome : heif_colorspace_YCbCr, coded.format)
    } catch CodecError.unsupported where coded == .monochrome {
      // libheif takes grey HEVC pictures for coloured ones.
      image = try HEIFPicture.decode(source, handle, heif_colorspace_YCbCr, heif_chroma_420)
    }
  }

  deinit { heif.heif_image_release(image) }

  func frame(name: String, metadata: Metadata, _ source: Source) throws(CodecError) -> Frame {
    var metadata = metadata
    if isTransparent { metadata.lost.insert(.transparency) }
    // Whatever matrix and range the picture was coded with, libheif's way through R, G, B ends here.
    let luma = try plane(heif_channel_Y, source)
    guard coded != .monochrome else {
      return Frame(planes: [luma], encoding: .grey(.full), name: name, metadata: metadata)
    }
    let planes = [luma, try plane(heif_channel_Cb, source), try plane(heif_channel_Cr, source)]
    return try checked(planes, [.full, coded.grid, coded.grid], .yCbCr(.bt601, .full), source, metadata)
  }

  private var isTransparent: Bool {
    var stride = Int32(0)
    guard let alpha = heif.heif_image_get_plane_readonly(image, heif_channel_Alpha, &stride) else { return false }
    let bits = Int(heif.heif_image_get_bits_per_pixel_range(image, heif_channel_Alpha))
    // Of another depth it may be: better a word too many than no picture.
    guard (8...16).contains(bits) else { return true }
    let size = Size(
      width: Int(heif.heif_image_get_width(image, heif_channel_Alpha)),
      height: Int(heif.heif_image_get_height(image, heif_channel_Alpha)))
    return Codecs.isTransparent(plane: alpha, stride: Int(stride), size: size, bits: bits)
  }

  private func checked(
    _ planes: [Plane], _ grids: [PlaneGrid], _ encoding: PixelEncoding, _ source: Source, _ metadata: Metadata
  ) throws(CodecError) -> Frame {
    let size = Size(width: planes[0].width, height: planes[0].height)
    for (plane, grid) in zip(planes, grids) {
      guard plane.bits == planes[0].bits, Size(width: plane.width, height: plane.height) == grid.planeSize(for: size)
      else { throw source.unsupported("planes of different depths or sizes") }
    }
    return Frame(planes: planes, grids: grids, encoding: encoding, name: source.name, metadata: metadata)
  }

  private func plane(_ channel: heif_channel, _ source: Source) throws(CodecError) -> Plane {
    var stride = Int32(0)
    let (width, height) = (heif.heif_image_get_width(image, channel), heif.heif_image_get_height(image, channel))
    let bits = Int(heif.heif_image_get_bits_per_pixel_range(image, channel))
    guard let start = heif.heif_image_get_plane_readonly(image, channel, &stride), width > 0, height > 0,
      (8...16).contains(bits)
    else { throw source.unsupported("planes of this kind") }
    let size = Size(width: Int(width), height: Int(height))
    try source.checkLimits(size)
    let builder = try source.planeBuilder(size, bits: bits)
    let rowBytes = size.width * (bits > 8 ? 2 : 1)
    for y in 0..<size.height {
      (builder.base + y * builder.stride).copyMemory(from: start + y * Int(stride), byteCount: rowBytes)
    }
    return builder.finish()
  }

  private static func decode(
    _ source: Source, _ handle: OpaquePointer, _ space: heif_colorspace, _ chroma: heif_chroma
  ) throws(CodecError) -> OpaquePointer {
    let options = heif.heif_decoding_options_alloc()
    defer { heif.heif_decoding_options_free(options) }
    options?.pointee.strict_decoding = source.options.acceptsDamaged ? 0 : 1
    var image: OpaquePointer?
    try source.check(heif.heif_decode_image(handle, &image, space, chroma, options))
    guard let image else { throw source.damaged("no picture came out") }
    if !source.options.acceptsDamaged, heif.heif_image_get_decoding_warnings(image, 0, nil, 0) > 0 {
      var warning = heif_error()
      _ = heif.heif_image_get_decoding_warnings(image, 0, &warning, 1)
      let detail = warning.message.map { String(cString: $0) } ?? "the decoder warned"
      heif.heif_image_release(image)
      throw source.damaged(detail)
    }
    return image
  }
}

extension Source {
  fileprivate func check(_ error: heif_error) throws(CodecError) {
    guard error.code != heif_error_Ok else { return }
    let detail = error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)"
    switch error.code {
    case heif_error_Unsupported_filetype, heif_error_Unsupported_feature, heif_error_Color_profile_does_not_exist:
      throw unsupported("this kind of picture (\(detail))")
    case heif_error_Memory_allocation_error:
      // libheif's own limits come under this name too.
      throw damaged(detail)
    default: throw damaged(detail)
    }
  }
}
