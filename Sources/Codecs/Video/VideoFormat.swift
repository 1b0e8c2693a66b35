/// The kinds of video that can be told apart by their first bytes.
package enum VideoFormat: String, Sendable, Hashable {
  /// Uncompressed frames (YUV4MPEG2), read by `Y4MReader`.
  case y4m
  /// MP4 and QuickTime; Matroska and WebM; AVI: read by `FFmpegReader`.
  case mov, matroska, avi

  /// The kind that a file's first bytes (`ImageFormat.headLength`) show; nil when none. Ask `ImageFormat.sniff` first:
  /// HEIC pictures share the container of MP4.
  package static func sniff(_ bytes: [UInt8]) -> VideoFormat? {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      let magic = Array(text.utf8)
      return bytes.count >= offset + magic.count && bytes[offset..<offset + magic.count].elementsEqual(magic)
    }
    if has(Y4MHeader.magic) { return .y4m }
    if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
    if has("RIFF"), has("AVI ", at: 8) { return .avi }
    if has("ftyp", at: 4) { return ImageFormat.sniff(bytes) == nil ? .mov : nil }
    // QuickTime files from before `ftyp`.
    return ["moov", "mdat", "wide", "free", "skip"].contains { has($0, at: 4) } ? .mov : nil
  }
}
