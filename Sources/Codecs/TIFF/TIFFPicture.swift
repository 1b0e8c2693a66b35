import CTIFF
import Frames

/// What a directory says of its picture, as far as it matters to reading it.
struct TIFFPicture {
  /// As stored, before `orientation` is applied.
  let size: Size
  let orientation: Orientation
  /// Whether the file is a camera's RAW: DNG and others are TIFF files whose picture is elsewhere or is a mosaic.
  let isRaw: Bool
  /// Of the samples that reading yields: 8 or 16.
  private(set) var bits: Int
  /// 1 for grey, 3 for R, G, B.
  private(set) var channels = 1
  /// Samples of a pixel in the file.
  let samples: Int
  /// Which sample of a pixel says how opaque it is; nil where none does.
  private(set) var alpha: Int?
  /// Whether black and white are the other way round.
  let isInverted: Bool
  /// Palettes, packed bits and subsampled chroma go through libtiff's own conversion to R, G, B.
  private(set) var isConverted = false

  /// - Throws: `CodecError.unsupported` for floating-point samples, CMYK and the like.
  init(_ file: TIFFFile, _ source: Source) throws(CodecError) {
    guard let width = file.number(TIFFTAG_IMAGEWIDTH, as: UInt32.self),
      let height = file.number(TIFFTAG_IMAGELENGTH, as: UInt32.self),
      width > 0, height > 0, width <= Int32.max, height <= Int32.max
    else { throw source.damaged("the directory names no size") }
    func short(_ tag: Int32, else other: Int32) -> Int32 {
      file.number(tag, defaulted: true, as: UInt16.self).map(Int32.init) ?? other
    }
    let depth = short(TIFFTAG_BITSPERSAMPLE, else: 1)
    samples = Int(short(TIFFTAG_SAMPLESPERPIXEL, else: 1))
    let photometric =
      file.number(TIFFTAG_PHOTOMETRIC, as: UInt16.self).map(Int32.init)
      ?? (samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK)
    size = Size(width: Int(width), height: Int(height))
    orientation = Orientation(rawValue: Int(short(TIFFTAG_ORIENTATION, else: 1))) ?? .up
    bits = depth == 16 ? 16 : 8
    isInverted = photometric == PHOTOMETRIC_MINISWHITE
    isRaw = Self.isRaw(file, photometric)
    guard !isRaw else { return }

    let format = short(TIFFTAG_SAMPLEFORMAT, else: SAMPLEFORMAT_UINT)
    if format == SAMPLEFORMAT_IEEEFP { throw source.unsupported("floating-point samples") }
    guard format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID else {
      throw source.unsupported("signed or complex samples")
    }
    guard 1...16 ~= samples else { throw source.unsupported("\(samples) samples a pixel") }
    guard [1, 2, 4, 8, 16].contains(depth) else { throw source.unsupported("\(depth) bits a sample") }
    let compression = short(TIFFTAG_COMPRESSION, else: COMPRESSION_NONE)
    switch photometric {
    case PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE: isConverted = depth < 8
    case PHOTOMETRIC_RGB:
      guard samples >= 3, depth >= 8 else { throw source.unsupported("R, G, B packed like this") }
      channels = 3
    case PHOTOMETRIC_PALETTE:
      guard depth <= 8 else { throw source.unsupported("a palette of more than 8 bits") }
      (channels, isConverted) = (3, true)
    case PHOTOMETRIC_YCBCR:
      guard samples >= 3 else { throw source.unsupported("Y, Cb, Cr of \(samples) samples a pixel") }
      channels = 3
      if compression == COMPRESSION_JPEG {
        // libjpeg converts and interpolates.
        TIFFFile.set(TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB, in: file.handle)
      } else {
        isConverted = true
      }
    case PHOTOMETRIC_SEPARATED: throw source.unsupported("CMYK colours")
    case PHOTOMETRIC_CIELAB, PHOTOMETRIC_ICCLAB, PHOTOMETRIC_ITULAB: throw source.unsupported("CIE L*a*b* colours")
    default: throw source.unsupported("photometric interpretation \(photometric)")
    }
    if isConverted { bits = 8 }
    let extra = file.values(TIFFTAG_EXTRASAMPLES, counted: UInt16.self)?.baseAddress?.loadUnaligned(as: UInt16.self)
    if samples > channels, let extra, [EXTRASAMPLE_ASSOCALPHA, EXTRASAMPLE_UNASSALPHA].contains(Int32(extra)) {
      alpha = channels
    }
  }

  /// Whether another picture has this one's size, depth and number of channels, which makes both pages of a document.
  func isLike(_ other: TIFFPicture) -> Bool {
    size == other.size && bits == other.bits && channels == other.channels && !isRaw && !other.isRaw
  }

  private static func isRaw(_ file: TIFFFile, _ photometric: Int32) -> Bool {
    let (mosaic, linearRaw) = (Int32(32803), Int32(34892))
    if photometric == mosaic || photometric == linearRaw || file.value(TIFFTAG_DNGVERSION) != nil { return true }
    // Cameras put a reduced picture first and the mosaic in a sub-directory.
    guard file.number(TIFFTAG_SUBFILETYPE, as: UInt32.self).map({ $0 & UInt32(FILETYPE_REDUCEDIMAGE) != 0 }) == true
    else { return false }
    return (file.values(TIFFTAG_SUBIFD, counted: UInt16.self)?.count ?? 0) > 0
  }
}
