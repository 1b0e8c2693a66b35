import Synchronization

/// Counts what tasks have finished.
package final class Counter: Sendable {
  private let value = Atomic(0)

  package init() {}

  /// The count after one more.
  package func increment() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
