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
    detector = LazyDetector(options.detector, digests: options.digests)
    memory = .own(options.memory)
  }

  /// Of runs that share the memory that their options name, and load the detector once.
  init(sharedBy options: Options) {
    detector = LazyDetector(options.detector, digests: options.digests)
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

/// A detector that is checked and loaded once.
final class LazyDetector: Sendable {
  private struct State {
    var result: Result<DetectorOption.Loaded?, PlateError>?
    /// What nobody has been told yet.
    var event: Event?
  }
  private let option: DetectorOption
  private let digests: Bool
  private let state = Mutex(State())

  /// - Parameter digests: whether somebody asks for those of files that were named.
  init(_ option: DetectorOption, digests: Bool = false) { (self.option, self.digests) = (option, digests) }

  /// Checks and loads it before it is needed; what there is to say of it, `load` says.
  func prepare() { state.withLock { fill(&$0) } }

  /// - Throws: `PlateError.detectorUnusable`.
  func load(_ monitor: RunMonitor) throws(PlateError) -> DetectorOption.Loaded? {
    let (result, event) = state.withLock { state in
      fill(&state)
      defer { state.event = nil }
      return (state.result, state.event)
    }
    if let event { monitor.tell(event) }
    return try result?.get()
  }

  private func fill(_ state: inout State) {
    guard state.result == nil else { return }
    do throws(PlateError) {
      let found = try option.load(digests: digests)
      (state.result, state.event) = (.success(found.loaded), found.event)
    } catch {
      state.result = .failure(error)
    }
  }
}
