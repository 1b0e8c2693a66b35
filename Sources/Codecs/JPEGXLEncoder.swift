import CShim
import Frames
import ShimSupport

/// JPEG XL with 8 or 16 bits, R, G, B or grey; without loss at quality 100.
struct JPEGXLEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let bits = options.bits(of: frame, among: [8, 16])
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits))
    var result: OpaquePointer?
    let status = withShimBytes(metadata.iccProfile) { profile in
      withShimBytes(metadata.exif) { exif in
        withShimBytes(metadata.xmp) { xmp in
          let blocks = cs_metadata(exif: exif, xmp: xmp, iptc: cs_bytes(bytes: nil, count: 0))
          return withShimPlanes(ready.planes) {
            cs_jxl_write($0, $1, Int32(options.quality), profile, blocks, &result)
          }
        }
      }
    }
    let file = take(result)
    do {
      try check(status)
    } catch {
      throw .encodingFailed(format: .jpegXL, detail: error.message)
    }
    return file ?? []
  }
}
