import Dispatch
import Synchronization

/// Runs `body` for every index in `0..<count` on at most `threads` tasks, handing indices out in order.
///
/// What `body` does for one index must not depend on the others, so that the result does not depend on `threads`.
/// - Throws: the first error that any call threw, or `CancellationError`; remaining indices are not started then.
package func forEachIndex(
  count: Int, threads: Int, _ body: @Sendable @escaping (Int) async throws -> Void
) async throws {
  try await runWorkers(count: count, threads: threads) { cursor in
    while let index = cursor.next() {
      try Task.checkCancellation()
      try await body(index)
    }
  }
}

/// Runs `body` for every index in `0..<count` on at most `threads` tasks, each with a private value that `scratch`
/// makes once.
/// - Throws: as `forEachIndex(count:threads:_:)`.
package func forEachIndex<Scratch>(
  count: Int, threads: Int, scratch: @Sendable @escaping () throws -> Scratch,
  _ body: @Sendable @escaping (Int, inout Scratch) throws -> Void
) async throws {
  try await runWorkers(count: count, threads: threads) { cursor in
    var mine = try scratch()
    while let index = cursor.next() {
      try Task.checkCancellation()
      try body(index, &mine)
    }
  }
}

/// Results of `body` for every index in `0..<count`, in order, computed on at most `threads` tasks.
/// - Throws: as `forEachIndex(count:threads:_:)`.
package func mapIndices<Result: Sendable>(
  count: Int, threads: Int, _ body: @Sendable @escaping (Int) async throws -> Result
) async throws -> [Result] {
  let results = Mutex([Result?](repeating: nil, count: count))
  try await forEachIndex(count: count, threads: threads) { index in
    let result = try await body(index)
    results.withLock { $0[index] = result }
  }
  return results.withLock { $0.compactMap(\.self) }
}

/// Results of `then` for the results of `first`, for every index in `0..<count`, in order, computed on at most `threads`
/// tasks.
///
/// Second steps are for when no first step is left to begin: where there are as few long steps as here, tasks would wait
/// for the last of them.
/// - Throws: the first error that any call threw, or `CancellationError`; remaining steps are not started then.
package func mapIndices<First: Sendable, Second: Sendable>(
  count: Int, threads: Int, first: @Sendable @escaping (Int) async throws -> First,
  then: @Sendable @escaping (Int, First) async throws -> Second
) async throws -> [Second] {
  let waiting = Mutex<[(index: Int, value: First)]>([])
  let results = Mutex([Second?](repeating: nil, count: count))
  try await runWorkers(count: count, threads: threads) { cursor in
    while let index = cursor.next() {
      try Task.checkCancellation()
      let value = try await first(index)
      waiting.withLock { $0.append((index, value)) }
    }
    while let (index, value) = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      try Task.checkCancellation()
      let result = try await then(index, value)
      results.withLock { $0[index] = result }
    }
  }
  return results.withLock { $0.compactMap(\.self) }
}

/// Results of `body` for every element, in order, on at most `threads` tasks.
/// - Parameter grain: elements that a task takes at once.
/// - Throws: as `forEachIndex(count:threads:_:)`.
package func mapElements<Element: Sendable, Result: Sendable>(
  of elements: [Element], grain: Int, threads: Int, _ body: @Sendable @escaping (Element) throws -> Result
) async throws -> [Result] {
  try await mapIndices(count: (elements.count + grain - 1) / grain, threads: threads) { part in
    try elements[part * grain..<min((part + 1) * grain, elements.count)].map(body)
  }.flatMap(\.self)
}

/// Results of `body` for every index in `0..<count`, in order, for callers that are not asynchronous: the calling thread
/// works, and with it as many others, `threads` in all, as the system has free. Each has a private value that `scratch`
/// makes once.
///
/// Since the caller does by itself what nobody else comes for, calls from many tasks at once get on, too.
/// - Throws: the first error that any call threw; remaining indices are not started then.
package func mapIndicesInPlace<Scratch, Result: Sendable, Failure: Error>(
  count: Int, threads: Int, scratch: @Sendable () throws(Failure) -> Scratch,
  body: @Sendable (Int, inout Scratch) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  let cursor = Cursor(count: count)
  let outcome = Mutex(Outcome<Result, Failure>(results: Array(repeating: nil, count: count)))
  DispatchQueue.concurrentPerform(iterations: min(max(threads, 1), count)) { _ in
    // A thread that comes too late makes no scratch.
    guard var index = cursor.next() else { return }
    do throws(Failure) {
      var mine = try scratch()
      while true {
        let result = try body(index, &mine)
        outcome.withLock { $0.results[index] = result }
        guard let next = cursor.next() else { return }
        index = next
      }
    } catch {
      cursor.stop()
      outcome.withLock { $0.failure = $0.failure ?? error }
    }
  }
  return try outcome.withLock { (outcome) throws(Failure) in
    if let failure = outcome.failure { throw failure }
    return outcome.results.compactMap(\.self)
  }
}

/// Results of `body` for every index in `0..<count`, in order, as above.
/// - Throws: the first error that any call threw; remaining indices are not started then.
package func mapIndicesInPlace<Result: Sendable, Failure: Error>(
  count: Int, threads: Int, body: @Sendable (Int) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  try mapIndicesInPlace(
    count: count, threads: threads, scratch: { () throws(Failure) in },
    body: { (index: Int, _: inout Void) throws(Failure) in try body(index) })
}

private struct Outcome<Result: Sendable, Failure: Error>: Sendable {
  var results: [Result?]
  var failure: Failure?
}

/// Runs `work` on as many tasks as are useful; a task that fails keeps the others from starting anything new.
private func runWorkers(
  count: Int, threads: Int, _ work: @Sendable @escaping (Cursor) async throws -> Void
) async throws {
  let cursor = Cursor(count: count)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<min(max(threads, 1), max(count, 1)) {
      group.addTask {
        do {
          try await work(cursor)
        } catch {
          cursor.stop()
          throw error
        }
      }
    }
    for try await _ in group {}
  }
}

/// Hands out the indices of a range, each once.
private final class Cursor: Sendable {
  private let position = Atomic(0)
  private let count: Int

  init(count: Int) { self.count = count }

  func next() -> Int? {
    let index = position.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }

  func stop() { position.store(count, ordering: .relaxed) }
}
