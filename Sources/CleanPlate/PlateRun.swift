public import Frames

/// A plate in the making: what happens, as an asynchronous sequence, and what comes out.
///
/// ```swift
/// let run = PlateRun(from: inputs, options: try Options(previews: true))
/// for await event in run.events {
///   if case .preview(let picture) = event { show(picture) }
/// }
/// let plate = try await run.result.plate
/// ```
/// The run begins at once. It is cancelled by `cancel()`, and with the task that waits for its result or for its next
/// event.
public struct PlateRun: Sendable {
  /// What happens, in the order in which it is told; it ends with the run. Events wait until they are taken; one task
  /// may take them.
  public let events: AsyncStream<Event>
  private let task: Task<PlateResult, any Error>

  /// Begins to make a plate as `makePlate(from:options:onEvent:)` does.
  /// - Parameters:
  ///   - inputs: at least two pictures of one scene; the report counts them as they come here.
  ///   - options: how.
  public init(from inputs: [Input], options: Options) {
    self.init { tell in try await makePlate(from: inputs, options: options, onEvent: tell) }
  }

  /// The same for frames that come in one after another.
  /// - Parameters:
  ///   - frames: at least two of one scene.
  ///   - options: how.
  public init<Incoming: AsyncSequence & Sendable>(from frames: Incoming, options: Options)
  where Incoming.Element == Frame {
    self.init { tell in try await makePlate(from: frames, options: options, onEvent: tell) }
  }

  private init(_ make: @escaping @Sendable (@escaping @Sendable (Event) -> Void) async throws -> PlateResult) {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    let task = Task {
      defer { continuation.finish() }
      return try await make { continuation.yield($0) }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { task.cancel() }
    }
    (events, self.task) = (stream, task)
  }

  /// The plate, once it is made.
  /// - Throws: as `makePlate(from:options:onEvent:)`.
  public var result: PlateResult {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  /// Calls the run off; `result` then throws `CancellationError`.
  public func cancel() { task.cancel() }
}
