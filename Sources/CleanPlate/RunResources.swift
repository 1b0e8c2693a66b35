import Codecs
import Frames
import Selection
import ShimSupport
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

  /// Finds who may move in a frame; nil where the run has no detector.
  /// - Parameter monitor: is told what there is to say of the detector; nil where nobody expects one.
  func movers(_ options: Options, _ monitor: RunMonitor?) -> Movers? {
    options.detector == .off ? nil : Movers(detector, monitor, threads: options.threads)
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

/// Finds people and what else moves by itself in frames, by a detector that is loaded when somebody asks.
final class Movers: Sendable {
  private let detector: LazyDetector
  private let monitor: RunMonitor?
  private let threads: Int
  private let used = Mutex<DetectorOption.Files?>(nil)

  init(_ detector: LazyDetector, _ monitor: RunMonitor?, threads: Int) {
    (self.detector, self.monitor, self.threads) = (detector, monitor, threads)
  }

  /// Boxes in a frame's pixels; none where there is no detector.
  /// - Parameter places: pixels around which somebody may be; nil for anywhere.
  /// - Throws: as `DetectorOption.load` and `Detector.boxes`.
  @Sendable func boxes(in frame: Frame, around places: [Point]?) async throws -> [Region] {
    guard let loaded = try detector.load(monitor) else { return [] }
    used.withLock { $0 = loaded.files }
    return try await loaded.detector.boxes(in: frame, around: places, threads: threads)
  }

  /// The detector that somebody asked; nil where nobody did.
  var files: DetectorOption.Files? { used.withLock(\.self) }
}

/// A detector that is checked and loaded once.
final class LazyDetector: Sendable {
  private struct State {
    /// Nil before somebody asks, and after memory ran out: it may be there for the next.
    var result: Result<DetectorOption.Loaded?, any Error>?
    /// What nobody has been told yet.
    var event: Event?
  }
  private let option: DetectorOption
  private let digests: Bool
  private let state = Mutex(State())

  /// - Parameter digests: whether somebody asks for those of files that were named.
  init(_ option: DetectorOption, digests: Bool = false) { (self.option, self.digests) = (option, digests) }

  /// Checks and loads it before it is needed; what there is to say of it, `load` says.
  func prepare() { state.withLock { _ = fill(&$0) } }

  /// - Parameter monitor: is told what nobody has been told yet; nil to keep it for others.
  /// - Throws: as `DetectorOption.load`.
  func load(_ monitor: RunMonitor?) throws -> DetectorOption.Loaded? {
    let (result, event) = state.withLock { state in
      let result = fill(&state)
      defer { if monitor != nil { state.event = nil } }
      return (result, state.event)
    }
    if let event { monitor?.tell(event) }
    return try result.get()
  }

  private func fill(_ state: inout State) -> Result<DetectorOption.Loaded?, any Error> {
    if let result = state.result { return result }
    do {
      let found = try option.load(digests: digests)
      let result = Result<_, any Error>.success(found.loaded)
      (state.result, state.event) = (result, found.event)
      return result
    } catch {
      if (error as? ShimError)?.kind != .outOfMemory { state.result = .failure(error) }
      return .failure(error)
    }
  }
}
