import Codecs
import Frames
import Selection
import Synchronization

/// What runs need beside their options, and may have in common when several go on at once.
struct RunResources: Sendable {
  let detector: LazyDetector
  private let memory: Memory

  private enum Memory: Sendable {
    /// Bytes of the run alone; nil for no bound.
    case own(Int?)
    case shared(MemoryBudget)
  }

  /// Of one run.
  init(_ options: Options) {
    detector = LazyDetector(options.detector)
    memory = .own(options.memory)
  }

  /// Of runs that share the memory that their options name, and load the detector once.
  init(sharedBy options: Options) {
    detector = LazyDetector(options.detector)
    memory = options.memory.map { .shared(MemoryBudget(limit: $0, spillFolder: temporaryFolder)) } ?? .own(nil)
  }

  /// What bounds the memory of a run's frames.
  /// - Parameter held: bytes that the run's inputs hold already.
  func budget(beside held: Int) -> MemoryBudget? {
    switch memory {
    case .own(let limit): limit.map { MemoryBudget(limit: max($0 - held, 0), spillFolder: temporaryFolder) }
    case .shared(let budget): budget
    }
  }
}

/// A detector that is checked and loaded when it is needed first.
final class LazyDetector: Sendable {
  private let option: DetectorOption
  private let loaded = Mutex<Result<DetectorOption.Loaded?, PlateError>?>(nil)

  init(_ option: DetectorOption) { self.option = option }

  /// - Throws: `PlateError.detectorUnusable`.
  func load(_ monitor: RunMonitor) throws(PlateError) -> DetectorOption.Loaded? {
    try loaded.withLock { loaded in
      let result: Result<DetectorOption.Loaded?, PlateError>
      if let loaded {
        result = loaded
      } else {
        do throws(PlateError) {
          result = .success(try option.load(monitor))
        } catch {
          result = .failure(error)
        }
        loaded = result
      }
      return result
    }.get()
  }
}
