import Synchronization

/// Counts what tasks have finished.
final class Counter: Sendable {
  private let value = Atomic(0)

  /// The count after one more.
  func increment() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
