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

  /// What the first decoder configuration among the item properties says (ISO/IEC 14496-15, 8.3.3.1;
  /// AV1-ISOBMFF, 2.3.3): tiles of a grid and their thumbnail share it. 4:2:0 when there is none.
  static func find(in file: UnsafeBufferPointer<UInt8>) -> HEIFChroma {
    let boxes = BoxReader(file)
    guard let meta = boxes.first("meta", in: file.indices),
      let properties = boxes.first("iprp", in: meta.dropFirst(4)),
      let container = boxes.first("ipco", in: properties)
    else { return .half }
    var found: HEIFChroma?
    boxes.forEach(in: container) { type, body in
      guard found == nil else { return }
      if type == "hvcC", body.count > 16 {
        switch file[body.lowerBound + 16] & 3 {
        case 0: found = .monochrome
        case 1: found = .half
        case 2: found = .halfHorizontally
        default: found = .full
        }
      } else if type == "av1C", body.count > 2 {
        let flags = file[body.lowerBound + 2]
        // Bits: monochrome 4, subsampling along x 3 and along y 2.
        switch (flags >> 4 & 1, flags >> 3 & 1, flags >> 2 & 1) {
        case (1, _, _): found = .monochrome
        case (_, 1, 1): found = .half
        case (_, 1, 0): found = .halfHorizontally
        default: found = .full
        }
      }
    }
    return found ?? .half
  }
}

/// The boxes of an ISO base media file (ISO/IEC 14496-12, 4.2), read without trusting their lengths.
struct BoxReader {
  private let file: UnsafeBufferPointer<UInt8>

  init(_ file: UnsafeBufferPointer<UInt8>) { self.file = file }

  /// Calls `body` with every box's type and contents, until lengths make no sense.
  func forEach(in range: Range<Int>, _ body: (String, Range<Int>) -> Void) {
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      var (length, header) = (number(position, bytes: 4), 8)
      let type = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
      if length == 1, range.upperBound - position >= 16 {
        (length, header) = (number(position + 8, bytes: 8), 16)
      } else if length == 0 {
        length = range.upperBound - position
      }
      guard length >= header, length <= range.upperBound - position else { return }
      body(type, position + header..<position + length)
      position += length
    }
  }

  func first(_ type: String, in range: Range<Int>) -> Range<Int>? {
    var found: Range<Int>?
    forEach(in: range) { name, body in
      if name == type, found == nil { found = body }
    }
    return found
  }

  private func number(_ position: Int, bytes: Int) -> Int {
    file[position..<position + bytes].reduce(0) { $0 << 8 | Int($1) } & Int.max
  }
}
