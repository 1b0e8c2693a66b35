import Frames
import Synchronization
import Testing

struct WorkersTests {
  @Test(arguments: [1, 2, 7]) func mapsInOrder(threads: Int) async throws {
    let squares = try await mapIndices(count: 50, threads: threads) { $0 * $0 }
    #expect(squares == (0..<50).map { $0 * $0 })
  }

  @Test func passesTheFirstErrorOnAndStops() async {
    struct Stop: Error {}
    let started = Mutex(0)
    await #expect(throws: Stop.self) {
      try await forEachIndex(count: 1_000_000, threads: 2) { index in
        started.withLock { $0 += 1 }
        if index == 3 { throw Stop() }
      }
    }
    #expect(started.withLock(\.self) < 1_000_000)
  }

  @Test func stopsWhenCancelled() async {
    let task = Task {
      try await forEachIndex(count: 1_000_000, threads: 2) { _ in await Task.yield() }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
