import CShim
import Frames

/// TIFF, its first directory, by libtiff (`CShim/tiffread.cpp`): 8 and 16 bits, strips and tiles, planar and
/// chunky, grey, R, G, B and palettes; JPEG-compressed Y'CbCr is converted by libjpeg.
final class TIFFDecoder {
  private let source: Source
  private let tiff: OpaquePointer
  private let info: cs_picture_info

  init(_ source: Source) throws(CodecError) {
    self.source = source
    var tiff: OpaquePointer?
    try source.check(cs_tiff_open(source.shimBytes, &tiff))
    self.tiff = tiff!
    info = cs_tiff_info(tiff)
    try source.checkLimits(info.size)
  }

  deinit { cs_tiff_free(tiff) }

  /// Whether the file is a camera's RAW in a TIFF's clothes.
  var isRaw: Bool { cs_tiff_is_raw(tiff) != 0 }

  func header() -> PictureHeader { source.header(.tiff, info) }

  func decode() throws(CodecError) -> Frame {
    let (planes, encoding) = try source.frame(info) { cs_tiff_read(tiff, $0, $1) }
    var metadata = MetadataEditor.read(source)
    metadata.iccProfile = try source.profile(cs_tiff_profile(tiff))
    metadata.storedOrientation = header().orientation
    return Frame(planes: planes, encoding: encoding, name: source.name, metadata: metadata)
  }
}
