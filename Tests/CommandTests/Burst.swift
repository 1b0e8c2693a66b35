import Codecs
import FileBuilding
import Frames
import TestScenes

/// Small bursts as JPEG files.
enum Burst {
  static let size = Size(width: 320, height: 240)

  /// `count` handheld photos of one scene with one walker, named so that natural and plain order differ.
  static func write(_ count: Int, to folder: TemporaryFolder, prefix: String = "") throws -> [String] {
    try (0..<count).map { index in
      let name = "\(prefix)\(index + 1).jpg"
      try folder.write(try photo(index), as: name)
      return folder.path(name)
    }
  }

  static func photo(_ index: Int, size: Size = size, scene: Scene = Scene(seed: 3)) throws -> [UInt8] {
    let walker = Scene.Figure(x: 30 + 60 * Double(index), y: 150, radius: 18)
    let frame = try scene.photo(
      size, camera: Scene.handheld(index), figures: [walker], noise: 1.5, noiseSeed: UInt64(index))
    return try encode(frame, options: EncodeOptions(format: .jpeg))
  }
}
