import CTIFF
import Frames

/// TIFF, one of its directories, by libtiff: 8 and 16 bits, strips and tiles, planar and chunky, grey, R, G, B and
/// palettes; JPEG-compressed Y'CbCr is converted by libjpeg.
final class TIFFDecoder {
  private let source: Source
  private let file: TIFFFile
  private let picture: TIFFPicture
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
    file = try TIFFFile(source, directory: directory)
    picture = try TIFFPicture(file, source)
    try source.checkLimits(picture.size)
  }

  /// The first directory and those with pictures of its size and depth, in the file's order, as many as the limits
  /// allow. Thumbnails, masks and what cannot be read are passed over, all but the first of a camera's RAW too. Where
  /// damage is accepted, a broken directory ends the list.
  static func pages(of source: Source) throws(CodecError) -> [UInt16] {
    let most = source.options.limits.maximumPictures
    let file = try TIFFFile(source)
    let first = try TIFFPicture(file, source)
    var directories = [UInt16](repeating: 0, count: min(most, 1))
    guard !first.isRaw else { return directories }
    for directory in 1...UInt16.max {
      guard directories.count < most, !file.isLast else { break }
      do {
        try file.advance()
      } catch {
        if source.options.acceptsDamaged { break }
        throw error
      }
      let kind = file.number(TIFFTAG_SUBFILETYPE, as: UInt32.self) ?? 0
      guard kind & UInt32(FILETYPE_REDUCEDIMAGE | FILETYPE_MASK) == 0 else { continue }
      if let other = try? TIFFPicture(file, source), first.isLike(other) { directories.append(directory) }
    }
    return directories
  }

  /// Whether the file is a camera's RAW in a TIFF's clothes.
  var isRaw: Bool { picture.isRaw }

  func header() -> PictureHeader {
    PictureHeader(format: .tiff, storedSize: picture.size, bits: picture.bits, orientation: picture.orientation)
  }

  func decode() throws(CodecError) -> Frame {
    let planes = try source.planeBuilders(
      Array(repeating: picture.size, count: picture.channels), bits: picture.bits)
    var samples = TIFFSamples(source: source, file: file, picture: picture, planes: planes)
    try samples.read()
    var metadata = MetadataEditor.read(source)
    if samples.isTransparent { metadata.lost.insert(.transparency) }
    metadata.iccProfile = try source.profile(file.values(TIFFTAG_ICCPROFILE, counted: UInt32.self))
    metadata.storedOrientation = picture.orientation
    if isFirst, let pages = try? Self.pages(of: source), pages.count > 1 { metadata.lost.insert(.furtherPictures) }
    return Frame(
      planes: planes.map { $0.finish() }, encoding: picture.channels == 1 ? .grey(.full) : .rgb, name: source.name,
      metadata: metadata)
  }
}
