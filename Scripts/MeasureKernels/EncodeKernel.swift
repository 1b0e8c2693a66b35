import Codecs
import Frames
import SystemPackage

/// Seconds in which a file's picture becomes the bytes of a JPEG again, as a plate does.
func encodeSeconds(of path: String, threads: Int, quality: Int) throws -> [String: Double] {
  let plate = try decode(try readFile(FilePath(path)), name: path)
  let options = EncodeOptions(format: .jpeg, quality: quality, threads: threads)
  // The first time, threads are started and libraries loaded.
  _ = try encode(plate, options: options)
  return ["encode": try measure { _ = try encode(plate, options: options) }]
}
