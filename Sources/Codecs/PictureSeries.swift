import CWebP
import Frames

/// What a file of a picture format holds when it is more than one picture.
package enum PictureSeries: Sendable, Hashable {
  /// Pictures of one size, decoded by their number: the pages of a TIFF, a collection in HEIF or AVIF.
  case pictures(count: Int)
  /// An animated WebP, for `WebPAnimation`.
  case animation
  /// An image sequence in HEIF or AVIF, which is coded as video, for `FFmpegReader`.
  case track

  /// - Returns: nil for a single picture.
  /// - Throws: `CodecError`.
  package static func find(
    in bytes: [UInt8], name: String, options: DecodeOptions = DecodeOptions()
  ) throws(CodecError) -> PictureSeries? {
    let format = try identify(bytes, name: name)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) -> PictureSeries? in
      let source = Source(bytes: buffer, name: name, options: options)
      let count: Int
      switch format {
      case .heif, .avif:
        if BoxReader(buffer).first("moov", in: buffer.indices) != nil { return .track }
        count = try HEIFDecoder(source, format: format).pictures.count
      case .tiff: count = try TIFFDecoder.pages(of: source).count
      case .webp: return WebPAnimation.isAnimated(buffer) ? .animation : nil
      case .jpeg, .png, .jpegXL, .raw: return nil
      }
      return count > 1 ? .pictures(count: count) : nil
    }
  }
}
