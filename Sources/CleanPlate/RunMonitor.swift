import Synchronization

/// Tells events and measures stages.
final class RunMonitor: Sendable {
  let tell: @Sendable (Event) -> Void
  private let measured = Mutex<[String: Double]>([:])

  init(_ tell: @escaping @Sendable (Event) -> Void) { self.tell = tell }

  /// Seconds per stage so far.
  var seconds: [String: Double] { measured.withLock(\.self) }

  func measure<Result>(_ stage: Stage, _ body: () async throws -> Result) async throws -> Result {
    let start = try begin(stage)
    let result = try await body()
    end(stage, since: start)
    return result
  }

  /// Tells that a part of the run begins; the same as `measure` with `end`, for who cannot hand over what is done.
  func begin(_ stage: Stage) throws -> ContinuousClock.Instant {
    try Task.checkCancellation()
    tell(.started(stage))
    return .now
  }

  /// Tells that it is done.
  func end(_ stage: Stage, since start: ContinuousClock.Instant) {
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    measured.withLock { $0[stage.rawValue, default: 0] += elapsed }
    tell(.finished(stage, seconds: elapsed))
  }
}
