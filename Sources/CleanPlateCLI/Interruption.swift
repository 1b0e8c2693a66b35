import ArgumentParser
import Foundation

/// Runs `body` so that Ctrl-C and a termination request cancel it: it unwinds, removes what it has begun, and the
/// program ends with the code that shells expect. A second Ctrl-C ends the program at once.
func cancellingOnSignals<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  // The default action would end the program before anything can be removed.
  let signals = [SIGINT, SIGTERM, SIGHUP]
  for number in signals { signal(number, SIG_IGN) }
  let task = Task(operation: body)
  let sources = signals.map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      if task.isCancelled { _exit(128 + number) }
      task.cancel()
    }
    source.resume()
    return source
  }
  defer { for source in sources { source.cancel() } }
  return try await task.value
}
