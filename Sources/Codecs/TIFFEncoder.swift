import CShimLibraries
import Frames
import ShimSupport

/// TIFF with 8 or 16 bits, R, G, B or grey, with or without alpha, deflated; Exiv2 puts the metadata into its directories.
struct TIFFEncoder {
  let options: EncodeOptions

  func encode(_ frame: Frame, _ alpha: Plane?, _ metadata: Metadata) throws(CodecError) -> [UInt8] {
    let bits = options.bits(of: frame)
    let encoding: PixelEncoding = frame.encoding.planeCount == 1 ? .grey(.full) : .rgb
    let ready = try frame.prepared(for: PixelLayout(encoding: encoding, bits: bits), alpha: alpha)
    var result: OpaquePointer?
    let status = withShimBytes(metadata.iccProfile) { profile in
      withShimPlanes(ready) { cs_tiff_write($0, $1, profile, &result) }
    }
    let file = take(result)
    do throws(ShimError) {
      try check(status)
      guard let file else { throw ShimError(kind: .libraryFailure, message: "no bytes came out") }
      guard metadata.exif != nil || metadata.xmp != nil || metadata.iptc != nil else { return file }
      // Exiv2 reads no files past 4 GB: better a plate without its metadata than none.
      return (try? MetadataEditor.write(metadata, intoTIFF: file)) ?? file
    } catch {
      throw .encodingFailed(format: .tiff, detail: error.message)
    }
  }
}
