import CShimLibraries
import Frames
import ShimSupport

/// Metadata by Exiv2 (`CShim/Libraries/metadata.cpp`).
enum MetadataEditor {
  /// The metadata that a plate of `size` carries, from its reference's.
  ///
  /// Blocks that Exiv2 cannot understand are left out: a plate must not fail for the sake of them.
  static func plateMetadata(from metadata: Metadata, size: Size, options: EncodeOptions) -> Metadata {
    guard !options.strip else {
      return Metadata(
        iccProfile: metadata.iccProfile, xmp: options.history == nil ? nil : mark(of: options.software))
    }
    var result = cs_metadata_result()
    let status = with(metadata) { blocks in
      options.software.withCString { software in
        withOptionalCString(options.history) { history in
          var edits = cs_metadata_edits(
            width: Int32(clamping: size.width), height: Int32(clamping: size.height), software: software,
            history: history, block_limit: options.format.longestBlock)
          return cs_metadata_edit(blocks, &edits, &result)
        }
      }
    }
    var edited = Metadata(iccProfile: metadata.iccProfile)
    (edited.exif, edited.xmp, edited.iptc) = (take(result.exif), take(result.xmp), take(result.iptc))
    return status.code == CS_OK ? edited : Metadata(iccProfile: metadata.iccProfile)
  }

  /// What says of a picture that a program made it, and nothing else, as XMP; nil where memory runs out.
  private static func mark(of software: String) -> [UInt8]? {
    var packet: OpaquePointer?
    let status = software.withCString { cs_metadata_mark($0, &packet) }
    let bytes = take(packet)
    return status.code == CS_OK ? bytes : nil
  }

  /// The blocks of a TIFF or RAW file, without its profile; those too long for the limits, and all where Exiv2
  /// cannot read the file, are left out.
  static func read(_ source: Source) -> Metadata {
    var result = cs_metadata_result()
    _ = cs_metadata_read(source.shimBytes, &result)
    let limit = source.options.limits.maximumMetadataBytes
    func block(_ buffer: OpaquePointer?) -> [UInt8]? { take(buffer).flatMap { $0.count <= limit ? $0 : nil } }
    return Metadata(exif: block(result.exif), xmp: block(result.xmp), iptc: block(result.iptc))
  }

  /// A TIFF file with the blocks of `metadata` in its directories.
  /// - Throws: `ShimError`.
  static func write(_ metadata: Metadata, intoTIFF file: [UInt8]) throws(ShimError) -> [UInt8] {
    var result: OpaquePointer?
    let status = withShimBytes(file) { file in
      with(metadata) { cs_metadata_write_tiff(file, $0, &result) }
    }
    let bytes = take(result)
    try check(status)
    return bytes ?? file
  }

  private static func with<R>(_ metadata: Metadata, _ body: (cs_metadata) -> R) -> R {
    withShimBytes(metadata.exif) { exif in
      withShimBytes(metadata.xmp) { xmp in
        withShimBytes(metadata.iptc) { iptc in body(cs_metadata(exif: exif, xmp: xmp, iptc: iptc)) }
      }
    }
  }

  private static func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
  }
}

extension ImageFormat {
  /// Bytes that a file of the format can hold of Exif, and of XMP.
  fileprivate var longestBlock: Int { self == .jpeg ? JPEGSegments.longestBlock : .max }
}
