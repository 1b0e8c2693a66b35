import CSpng
import Frames

/// The metadata chunks of a PNG file that is being written; libspng borrows their memory until it has.
final class PNGChunks {
  private let profile: UnsafeMutableBufferPointer<CChar>
  private let exif: UnsafeMutableBufferPointer<CChar>
  private let xmp: UnsafeMutableBufferPointer<CChar>
  private let none: UnsafeMutableBufferPointer<CChar>

  init(_ metadata: Metadata) {
    func copy(_ bytes: [UInt8]?) -> UnsafeMutableBufferPointer<CChar> {
      // Text must end with a zero; the other chunks do not mind one.
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: (bytes?.count ?? 0) + 1)
      _ = copy.initialize(from: (bytes ?? []).map { CChar(bitPattern: $0) } + [0])
      return copy
    }
    profile = copy(metadata.iccProfile)
    exif = copy(metadata.exif)
    xmp = copy(metadata.xmp)
    none = copy(nil)
  }

  deinit { for chunk in [profile, exif, xmp, none] { chunk.deallocate() } }

  /// Hands the chunks over; libspng's codes, 0 for success.
  func set(_ context: OpaquePointer) -> [Int32] {
    var codes: [Int32] = []
    if profile.count > 1 {
      var chunk = spng_iccp()
      withUnsafeMutableBytes(of: &chunk.profile_name) { $0.copyBytes(from: "ICC".utf8) }
      (chunk.profile, chunk.profile_len) = (profile.baseAddress, profile.count - 1)
      codes.append(spng_set_iccp(context, &chunk))
    }
    if exif.count > 1 {
      var chunk = spng_exif(length: exif.count - 1, data: exif.baseAddress)
      codes.append(spng_set_exif(context, &chunk))
    }
    if xmp.count > 1 {
      var chunk = spng_text()
      withUnsafeMutableBytes(of: &chunk.keyword) { $0.copyBytes(from: PNGEncoder.xmpKeyword.utf8) }
      chunk.type = SPNG_ITXT.rawValue.signed
      (chunk.text, chunk.length) = (xmp.baseAddress, xmp.count - 1)
      (chunk.language_tag, chunk.translated_keyword) = (none.baseAddress, none.baseAddress)
      codes.append(spng_set_text(context, &chunk, 1))
    }
    return codes
  }
}
