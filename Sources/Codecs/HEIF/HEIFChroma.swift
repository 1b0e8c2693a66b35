import CHeif
import Frames

/// The chroma format that a HEIF file's pictures are coded with.
///
/// libheif 1.15 turns every picture into R, G, B at full resolution by repeating chroma, and then, by BT.601 in
/// full range, into what the caller asks for. Asked for the coded chroma format it gives back very nearly the
/// coded planes; hence one must know that format.
enum HEIFChroma {
  case monochrome, half, halfHorizontally, full

  var format: heif_chroma {
    switch self {
    case .monochrome: heif_chroma_monochrome
    case .half: heif_chroma_420
    case .halfHorizontally: heif_chroma_422
    case .full: heif_chroma_444
    }
  }

  /// Where the samples of Cb and Cr sit: centred, as viewers take them.
  var grid: PlaneGrid {
    switch self {
    case .half: PlaneGrid(scaleX: 2, scaleY: 2)
    case .halfHorizontally: PlaneGrid(scaleX: 2, scaleY: 1)
    case .full, .monochrome: .full
    }
  }

  /// What the decoder configuration of an item says (ISO/IEC 14496-15, 8.3.3.1; AV1-ISOBMFF, 2.3.3), or that of its
  /// first tile; other items of the file (alpha, thumbnails) may be coded otherwise. 4:2:0 when there is none.
  static func find(in items: HEIFItems, item: UInt32) -> HEIFChroma {
    let file = items.file
    guard let (type, body) = items.codedProperty(["hvcC", "av1C"], of: item) else { return .half }
    if type == "hvcC" {
      guard body.count > 16 else { return .half }
      return switch file[body.lowerBound + 16] & 3 {
      case 0: .monochrome
      case 1: .half
      case 2: .halfHorizontally
      default: .full
      }
    }
    guard body.count > 2 else { return .half }
    let flags = file[body.lowerBound + 2]
    // Bits: monochrome 4, subsampling along x 3 and along y 2.
    return switch (flags >> 4 & 1, flags >> 3 & 1, flags >> 2 & 1) {
    case (1, _, _): .monochrome
    case (_, 1, 1): .half
    case (_, 1, 0): .halfHorizontally
    default: .full
    }
  }
}
