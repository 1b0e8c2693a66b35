import Synchronization

/// Tells events and measures stages.
final class RunMonitor: Sendable {
  let tell: @Sendable (Event) -> Void
  private let measured = Mutex<[String: Double]>([:])

  init(_ tell: @escaping @Sendable (Event) -> Void) { self.tell = tell }

  /// Seconds per stage so far.
  var seconds: [String: Double] { measured.withLock(\.self) }

  func measure<Result>(_ stage: Stage, _ body: () async throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    tell(.started(stage))
    let start = ContinuousClock.now
    let result = try await body()
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    measured.withLock { $0[stage.rawValue, default: 0] += elapsed }
    tell(.finished(stage, seconds: elapsed))
    return result
  }
}
