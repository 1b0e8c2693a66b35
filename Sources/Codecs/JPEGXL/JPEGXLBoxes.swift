import CJXL

/// Exif and XMP as they come out of a JPEG XL decoder, piece by piece; the first box of each kind counts.
final class JPEGXLBoxes {
  private enum Kind { case exif, xmp }

  private(set) var exif: [UInt8] = []
  private(set) var xmp: [UInt8] = []
  /// In bytes; longer boxes are left out.
  private let limit: Int
  private let decoder: OpaquePointer
  /// What the decoder writes into.
  private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  /// The box that is being read, and what of it has come.
  private var isInBox = false
  private var kind: Kind?
  private var contents: [UInt8] = []

  init(_ decoder: OpaquePointer, limit: Int) { (self.decoder, self.limit) = (decoder, limit) }

  deinit { piece.deallocate() }

  /// Runs the decoder up to the next event that is not about boxes.
  func step() -> JxlDecoderStatus {
    while true {
      let status = jxl.JxlDecoderProcessInput(decoder)
      switch status {
      case JXL_DEC_BOX: begin()
      case JXL_DEC_BOX_NEED_MORE_OUTPUT:
        takePiece()
        _ = jxl.JxlDecoderSetBoxBuffer(decoder, piece.baseAddress, piece.count)
      default:
        if status == JXL_DEC_SUCCESS { end() }
        return status
      }
    }
  }

  private func begin() {
    end()
    kind = nil
    var type: [CChar] = [0, 0, 0, 0]
    guard jxl.JxlDecoderGetBoxType(decoder, &type, JXL_TRUE) == JXL_DEC_SUCCESS else { return }
    switch String(decoding: type.map(UInt8.init(bitPattern:)), as: UTF8.self) {
    case "Exif": kind = .exif
    case "xml ": kind = .xmp
    default: return
    }
    isInBox = jxl.JxlDecoderSetBoxBuffer(decoder, piece.baseAddress, piece.count) == JXL_DEC_SUCCESS
  }

  private func takePiece() {
    let length = piece.count - jxl.JxlDecoderReleaseBoxBuffer(decoder)
    if kind != nil, contents.count + length <= limit {
      contents += piece[..<length]
    } else {
      (kind, contents) = (nil, [])
    }
  }

  private func end() {
    guard isInBox else { return }
    takePiece()
    switch kind {
    case .exif where exif.isEmpty: exif = contents
    case .xmp where xmp.isEmpty: xmp = contents
    default: break
    }
    (isInBox, contents) = (false, [])
  }
}
