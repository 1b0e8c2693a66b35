import CShimLibraries
import Frames

/// TIFF, one of its directories, by libtiff (`CShim/Libraries/tiffread.cpp`): 8 and 16 bits, strips and tiles,
/// planar and chunky, grey, R, G, B and palettes; JPEG-compressed Y'CbCr is converted by libjpeg.
final class TIFFDecoder {
  private let source: Source
  private let tiff: OpaquePointer
  private let info: cs_picture_info
  /// Whether nobody asked for a certain page.
  private let isFirst: Bool

  /// - Parameter page: the picture's place among `pages`; nil for the first.
  init(_ source: Source, page: Int? = nil) throws(CodecError) {
    self.source = source
    isFirst = page == nil
    var directory = UInt16(0)
    if let page, page > 0 {
      let pages = try Self.pages(of: source)
      guard pages.indices.contains(page) else { throw source.damaged("it has no page \(page + 1)") }
      directory = pages[page]
    }
    var tiff: OpaquePointer?
    try source.check(cs_tiff_open(source.shimBytes, directory, &tiff))
    self.tiff = tiff!
    info = cs_tiff_info(tiff)
    try source.checkLimits(info.size)
  }

  /// The first directory, and those with pictures of its size and depth.
  static func pages(of source: Source) throws(CodecError) -> [UInt16] {
    let capacity = source.options.limits.maximumPictures
    var directories = [UInt16](repeating: 0, count: capacity)
    var count = Int32(0)
    try source.check(
      cs_tiff_pages(
        source.shimBytes, source.options.acceptsDamaged ? 1 : 0, &directories, Int32(clamping: capacity), &count))
    return Array(directories.prefix(Int(count)))
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
    if isFirst, let pages = try? Self.pages(of: source), pages.count > 1 { metadata.lost.insert(.furtherPictures) }
    return Frame(planes: planes, encoding: encoding, name: source.name, metadata: metadata)
  }
}
