import Codecs
import Foundation
import Frames
import Stacking
import SystemPackage

/// A new folder that receives what a run saw and made: nothing that was there before is touched.
struct SessionFolder: Sendable {
  private let folder: UnfinishedFolder
  private let keepsMetadata: Bool

  /// Fills a folder named by a UUID under `parent`, which appears when it is full and not at all when `fill` throws.
  /// - Parameter keepsMetadata: whether pictures carry more than their colour profile.
  /// - Returns: its path.
  /// - Throws: `FileError`, and what `fill` throws.
  static func make(
    under parent: FilePath, keepsMetadata: Bool, _ fill: (SessionFolder) async throws -> Void
  ) async throws -> FilePath {
    let folder = try UnfinishedFolder(in: parent)
    do {
      try await fill(SessionFolder(folder: folder, keepsMetadata: keepsMetadata))
      try Task.checkCancellation()
      return try folder.finish(as: FilePath.Component(UUID().uuidString)!)
    } catch {
      folder.discard()
      throw error
    }
  }

  /// Writes a picture as PNG, so that nothing is lost but what rounding to R, G, B costs.
  /// - Parameter isMade: whether it is none of the photos, and must not be taken for one later.
  func write(_ frame: Frame, kind: String, index: Int, isMade: Bool = false) throws {
    let number = index < 10 ? "0\(index)" : "\(index)"
    let bytes = try encode(
      frame, options: EncodeOptions(format: .png, history: isMade ? kind : nil, strip: !keepsMetadata))
    try writeAtomically(bytes, to: folder.path.appending("\(kind)_\(number).png"))
  }

  func write(_ report: Report) throws {
    try writeAtomically(try report.json(), to: folder.path.appending("report.json"))
  }
}
