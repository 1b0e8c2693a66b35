import Codecs
import SystemPackage

/// The detector's files that `fetchDetector` brings, by their SHA-256.
///
/// The library that reads networks trusts what it reads, so that nothing else is handed to it unless somebody names it.
enum PinnedDetector {
  static let weights = "yolov3-tiny.weights"

  static let sums = [
    "yolov3-tiny.cfg": "4349b56496c065b353d40d786a28ad6e7758780db8124a22342458f780f4ff00",
    weights: "dccea06f59b781ec1234ddf8d1e94b9519a97f4245748a7d4db75d5b7080a42c",
  ]
  /// Bytes; the weights have 35 million.
  static let limit = 64 << 20

  /// The first file in the folder that is not what was pinned; nil when all are.
  static func stranger(in folder: FilePath) -> FilePath? {
    sums.keys.sorted().lazy.map { (folder.appending($0), sums[$0]) }.first { path, sum in
      guard let bytes = try? readFile(path, limit: limit) else { return true }
      return sha256(bytes) != sum
    }?.0
  }
}
