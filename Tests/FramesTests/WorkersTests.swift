import Foundation
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

  @Test(arguments: [1, 2, 7]) func mapsInPlaceInOrder(threads: Int) {
    let squares = mapIndicesInPlace(count: 50, threads: threads) {
      0
    } body: { index, calls in
      calls += 1
      return [index * index, calls]
    }
    #expect(squares.map(\.[0]) == (0..<50).map { $0 * $0 })
    // Scratch goes from call to call: all calls of a thread are numbered.
    #expect(squares.count { $0[1] == 1 } <= threads)
    #expect(threads > 1 || squares.map(\.[1]) == Array(1...50))
    let nothing = mapIndicesInPlace(count: 0, threads: threads) {
      0
    } body: { index, _ in
      index
    }
    #expect(nothing.isEmpty)
  }

  @Test(arguments: [1, 2, 7]) func inPlaceErrorsStopTheRest(threads: Int) {
    struct Stop: Error {}
    let started = Mutex(0)
    #expect(throws: Stop.self) {
      try mapIndicesInPlace(count: 1_000_000, threads: threads) { () throws(Stop) in
        0
      } body: { (index, _) throws(Stop) in
        started.withLock { $0 += 1 }
        if index == 3 { throw Stop() }
        // The others leave that one the time to fail.
        if index > 100 { usleep(100) }
      }
    }
    #expect(started.withLock(\.self) < 1_000_000)
    #expect(throws: Stop.self) {
      try mapIndicesInPlace(count: 9, threads: threads) { () throws(Stop) -> Int in
        throw Stop()
      } body: { (index, _) throws(Stop) in
        index
      }
    }
  }

  /// More tasks than there are threads, each of which wants several more.
  @Test func mapsInPlaceWithinTasks() async throws {
    let sums = try await mapIndices(count: 100, threads: 64) { task in
      mapIndicesInPlace(count: 40, threads: 8) {
        task
      } body: { index, task in
        index * task
      }.reduce(0, +)
    }
    #expect(sums == (0..<100).map { 780 * $0 })
  }

  @Test(arguments: [1, 2, 7]) func mapsInTwoSteps(threads: Int) async throws {
    let begun = Mutex(0)
    let results = try await mapIndices(count: 50, threads: threads) { index in
      begun.withLock { $0 += 1 }
      return index * index
    } then: { index, square in
      // Other tasks may be about to begin one each.
      #expect(begun.withLock(\.self) > 50 - threads)
      return square - index
    }
    #expect(results == (0..<50).map { $0 * $0 - $0 })
  }

  @Test(arguments: [false, true]) func passesTheFirstErrorOfEitherStepOn(isLater: Bool) async {
    struct Stop: Error {}
    let finished = Mutex(0)
    await #expect(throws: Stop.self) {
      _ = try await mapIndices(count: 10_000, threads: 2) { index in
        if !isLater && index == 3 { throw Stop() }
        return index
      } then: { index, value in
        if index == 9000 { throw Stop() }
        finished.withLock { $0 += 1 }
        return value
      }
    }
    #expect(finished.withLock(\.self) < 10_000)
  }
}
