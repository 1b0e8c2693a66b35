import CleanPlate
import Synchronization

/// A picture file that is replaced, whole, by every new preview.
final class PreviewFile: Sendable {
  private let path: FilePath
  private let options: EncodeOptions
  /// Writers take turns; the first failure is kept.
  private let failure = Mutex<(any Error)?>(nil)

  init(_ path: FilePath, quality: Int, strip: Bool) throws {
    self.path = path
    // Frames come in meanwhile, which keeps the other threads busy.
    options = EncodeOptions(
      format: try outputFormat(path), quality: quality, software: "cleanplate \(programVersion)", history: "preview",
      strip: strip, threads: 1)
  }

  func show(_ picture: Frame) {
    failure.withLock { failure in
      guard failure == nil else { return }
      do {
        try writeAtomically(encode(picture, options: options), to: path)
      } catch {
        failure = error
      }
    }
  }

  /// - Throws: what kept a preview from being written.
  func check() throws {
    if let error = failure.withLock(\.self) { throw error }
  }
}
