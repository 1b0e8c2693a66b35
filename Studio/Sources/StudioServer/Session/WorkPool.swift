import Foundation
import Synchronization

/// Threads for pixels, so that those which answer requests are always free: work that goes on under `run` takes none of
/// Swift's own.
final class WorkPool: TaskExecutor {
  private let jobs = JobQueue()

  /// - Parameter threads: that work at once.
  init(threads: Int) {
    for number in 0..<max(threads, 1) {
      let thread = Thread { [jobs, self] in
        while true { jobs.take().runSynchronously(on: self.asUnownedTaskExecutor()) }
      }
      thread.name = "work \(number)"
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job)) }

  /// Runs `body`, and all tasks that it begins, on these threads.
  func run<Result: Sendable>(_ body: @Sendable @escaping () async throws -> Result) async throws -> Result {
    try await withTaskExecutorPreference(self) { try await body() }
  }
}

/// Jobs in the order in which they came.
private final class JobQueue: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting: [UnownedJob] = []
  private var first = 0

  func add(_ job: UnownedJob) {
    condition.lock()
    waiting.append(job)
    condition.signal()
    condition.unlock()
  }

  /// Waits for one.
  func take() -> UnownedJob {
    condition.lock()
    defer { condition.unlock() }
    while first == waiting.count { condition.wait() }
    let job = waiting[first]
    first += 1
    if first == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      first = 0
    }
    return job
  }
}
