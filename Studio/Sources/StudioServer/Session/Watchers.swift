import Foundation
import Synchronization

/// Who watches a session. Each gets the newest state when he is ready for one: the slow neither wait for nor hold up
/// anybody, and nothing piles up for them.
final class Watchers: Sendable {
  private let list = Mutex<[UUID: AsyncStream<SessionState>.Continuation]>([:])

  func watch(_ current: SessionState) -> AsyncStream<SessionState> {
    let (stream, continuation) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    continuation.onTermination = { [weak self] _ in _ = self?.list.withLock { $0.removeValue(forKey: id) } }
    list.withLock { $0[id] = continuation }
    continuation.yield(current)
    return stream
  }

  func tell(_ state: SessionState) {
    for continuation in list.withLock({ Array($0.values) }) { continuation.yield(state) }
  }

  var count: Int { list.withLock(\.count) }
}
