import Foundation

/// Files one after another, as POSIX's `ustar` has them.
enum TarArchive {
  /// What stands before a file.
  static func header(name: String, byteCount: Int) -> [UInt8] {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    put(name, at: 0)
    put("0000644\0", at: 100)
    put("0000000\0", at: 108)
    put("0000000\0", at: 116)
    put(String(format: "%011o", byteCount) + "\0", at: 124)
    put(String(format: "%011o", Int(Date().timeIntervalSince1970)) + "\0", at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar\0" + "00", at: 257)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(String(format: "%06o", sum) + "\0 ", at: 148)
    return block
  }

  /// What follows a file, so that the next begins at a whole block.
  static func padding(byteCount: Int) -> [UInt8] { [UInt8](repeating: 0, count: (512 - byteCount % 512) % 512) }

  static let end = [UInt8](repeating: 0, count: 1024)
}
