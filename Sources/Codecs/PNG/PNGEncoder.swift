import CSpng
import Frames
import Glibc

/// PNG with 8 or 16 bits, R, G, B or grey, with or without alpha, by libspng.
struct PNGEncoder {
  let options: EncodeOptions

  static let xmpKeyword = "XML:com.adobe.xmp"

  func encode(_ frame: Frame, _ alpha: Plane?, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let bits = options.bits(of: frame)
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits), alpha: alpha)
    guard let context = spng_ctx_new(Int32(SPNG_CTX_ENCODER.rawValue)) else {
      throw .allocation(name: frame.name, .outOfMemory(bytes: 0))
    }
    defer { spng_ctx_free(context) }
    try check(spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1))
    // Beyond level 3 photos hardly shrink and take several times as long.
    try check(spng_set_option(context, SPNG_IMG_COMPRESSION_LEVEL, 3))
    try check(
      spng_set_option(
        context, SPNG_FILTER_CHOICE, Int32(SPNG_FILTER_CHOICE_SUB.rawValue | SPNG_FILTER_CHOICE_UP.rawValue)))
    try writeHeader(ready, context)
    // libspng keeps the addresses of chunks until it writes them, with the first row.
    let chunks = PNGChunks(metadata)
    for code in chunks.set(context) { try check(code) }
    try withExtendedLifetime(chunks) { () throws(CodecError) in try writeRows(ready, context) }

    var length = 0
    var code = Int32(0)
    guard let buffer = spng_get_png_buffer(context, &length, &code) else { throw error(code) }
    defer { free(buffer) }
    return Array(UnsafeRawBufferPointer(start: buffer, count: length))
  }

  private func writeHeader(_ planes: [Plane], _ context: OpaquePointer) throws(CodecError) {
    let types = [
      SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA, SPNG_COLOR_TYPE_TRUECOLOR,
      SPNG_COLOR_TYPE_TRUECOLOR_ALPHA,
    ]
    let type = types[planes.count - 1]
    var header = spng_ihdr(
      width: UInt32(planes[0].width), height: UInt32(planes[0].height), bit_depth: UInt8(planes[0].bits),
      color_type: UInt8(type.rawValue), compression_method: 0, filter_method: 0, interlace_method: 0)
    try check(spng_set_ihdr(context, &header))
  }

  private func writeRows(_ planes: [Plane], _ context: OpaquePointer) throws(CodecError) {
    let flags = SPNG_ENCODE_PROGRESSIVE.rawValue | SPNG_ENCODE_FINALIZE.rawValue
    try check(spng_encode_image(context, nil, 0, SPNG_FMT_PNG.rawValue.signed, flags.signed))
    let samples = planes[0].width * planes.count
    let row = UnsafeMutableRawBufferPointer.allocate(byteCount: samples * (planes[0].bits / 8), alignment: 16)
    defer { row.deallocate() }
    for y in 0..<planes[0].height {
      if planes[0].bits > 8 {
        planes.interleave(row: y, into: row.bindMemory(to: UInt16.self))
      } else {
        planes.interleave(row: y, into: row.bindMemory(to: UInt8.self))
      }
      let code = spng_encode_row(context, row.baseAddress, row.count)
      guard code == 0 || code == Int32(SPNG_EOI.rawValue) else { throw error(code) }
    }
  }

  private func check(_ code: Int32) throws(CodecError) {
    guard code == 0 else { throw error(code) }
  }

  private func error(_ code: Int32) -> CodecError {
    .encodingFailed(format: .png, detail: String(cString: spng_strerror(code)))
  }
}
