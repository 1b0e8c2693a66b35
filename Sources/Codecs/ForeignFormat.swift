/// What a file is that is not read, so that whoever gave it knows what to do about it.
public enum ForeignFormat: Sendable, Hashable, CaseIterable {
  case gif, bmp, netpbm, jpeg2000, jpegXR, photoshop, gimp, openEXR, radiance, fits, qoi, icon, svg
  case pdf, webPage, archive, video
  /// Nothing but zeros at its beginning, as copies that failed and cards that fail leave it.
  case zeros

  /// What a file's first bytes (`ImageFormat.headLength`) show; nil when nothing that is known. Ask `ImageFormat.sniff` first.
  package static func sniff(_ bytes: [UInt8]) -> ForeignFormat? {
    let head = bytes.prefix(ImageFormat.headLength)
    if VideoFormat.sniff(Array(head)) != nil { return .video }
    if let known = magics.first(where: { head.starts(with: $0.bytes) }) { return known.format }
    // P1 to P6 of pixels as text or as bytes, PF and Pf of floating-point ones, each with its size behind; P7 with its words.
    if let kind = head.dropFirst().first, head.first == UInt8(ascii: "P"), head.count > 3, isSpace(head[2]),
      kind == UInt8(ascii: "7") || Array("123456fF".utf8).contains(kind) && isDigitOrRemark(head[3])
    {
      return .netpbm
    }
    // "BM", the file's length, zeros.
    if head.starts(with: Array("BM".utf8)), head.count >= 10, head[6..<10].allSatisfy({ $0 == 0 }) { return .bmp }
    let text = String(decoding: head.drop { isSpace($0) || [0xEF, 0xBB, 0xBF].contains($0) }, as: UTF8.self)
      .lowercased()
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") { return .webPage }
    if text.hasPrefix("<svg") || text.hasPrefix("<?xml") && text.contains("svg") { return .svg }
    return head.count == ImageFormat.headLength && head.allSatisfy { $0 == 0 } ? .zeros : nil
  }

  private static let magics: [(format: ForeignFormat, bytes: [UInt8])] = [
    (.gif, Array("GIF8".utf8)), (.jpeg2000, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20]),
    (.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]), (.jpegXR, [0x49, 0x49, 0xBC]), (.photoshop, Array("8BPS".utf8)),
    (.gimp, Array("gimp xcf".utf8)), (.openEXR, [0x76, 0x2F, 0x31, 0x01]), (.radiance, Array("#?RADIANCE".utf8)),
    (.radiance, Array("#?RGBE".utf8)), (.fits, Array("SIMPLE  =".utf8)), (.qoi, Array("qoif".utf8)),
    (.icon, [0, 0, 1, 0]), (.pdf, Array("%PDF-".utf8)), (.archive, Array("PK\u{3}\u{4}".utf8)),
    (.archive, [0x1F, 0x8B]), (.archive, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), (.archive, Array("Rar!".utf8)),
  ]
}

private func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }
private func isDigitOrRemark(_ byte: UInt8) -> Bool {
  UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "#")
}
