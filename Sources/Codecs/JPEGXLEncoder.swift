import CShimLibraries
import Frames
import ShimSupport

/// JPEG XL with 8 or 16 bits, R, G, B or grey; without loss at quality 100.
struct JPEGXLEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let bits = options.bits(of: frame)
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits))
    do throws(ShimError) {
      // libjxl reads the profile and refuses what it cannot understand; others just carry it along.
      let isSound = metadata.iccProfile.map { ColourProfile($0, isGrey: encoding.planeCount == 1) != nil } ?? true
      return try write(ready, isSound ? metadata.iccProfile : nil, metadata)
    } catch {
      throw .encodingFailed(format: .jpegXL, detail: error.message)
    }
  }

  /// Threads beside the caller's, which waits for them: none when the caller works alone.
  static func workers(threads: Int) -> Int { threads > 1 ? threads : 0 }

  private func write(_ ready: Frame, _ profile: [UInt8]?, _ metadata: Metadata) throws(ShimError) -> [UInt8] {
    var result: OpaquePointer?
    let status = withShimBytes(profile) { profile in
      withShimBytes(metadata.exif) { exif in
        withShimBytes(metadata.xmp) { xmp in
          let blocks = cs_metadata(exif: exif, xmp: xmp, iptc: cs_bytes(bytes: nil, count: 0))
          return withShimPlanes(ready.planes) {
            cs_jxl_write(
              $0, $1, Int32(options.quality), Int32(Self.workers(threads: options.threads)), profile, blocks, &result)
          }
        }
      }
    }
    let file = take(result)
    try check(status)
    return file ?? []
  }
}
