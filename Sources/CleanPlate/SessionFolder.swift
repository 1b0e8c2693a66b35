import Codecs
import Foundation
import Frames
import Stacking

/// A new folder that receives what a run saw and made: nothing that was there before is touched.
struct SessionFolder: Sendable {
  let path: String

  /// Makes a folder named by a UUID under `parent`.
  /// - Throws: `FileError.cannotCreate`.
  init(under parent: String) throws(FileError) {
    path = "\(parent)/\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
      // Without intermediate folders this fails should the name be taken.
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
      throw .cannotCreate(path: path, errno: reason?.code.rawValue ?? EACCES)
    }
  }

  /// Writes a picture as PNG, so that nothing is lost but what rounding to R, G, B costs.
  func write(_ frame: Frame, kind: String, index: Int) throws {
    let number = index < 10 ? "0\(index)" : "\(index)"
    let bytes = try encode(frame, options: EncodeOptions(format: .png))
    try writeAtomically(bytes, to: "\(path)/\(kind)_\(number).png")
  }

  func write(_ report: Report) throws {
    try writeAtomically(try report.json(), to: "\(path)/report.json")
  }
}
