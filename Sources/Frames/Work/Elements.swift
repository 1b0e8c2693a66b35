/// Plain values that tasks computed in parts, all in one piece of memory; copies share them.
package struct Elements<Element: BitwiseCopyable & Sendable>: Sendable {
  private let storage: ElementStorage<Element>
  package var count: Int { storage.count }

  /// Computes `each` elements for every index in `0..<count` on at most `threads` tasks.
  /// - Parameters:
  ///   - grain: indices that a task takes at once.
  ///   - scratch: makes a task's private value, once.
  ///   - fill: is given some indices and where the first one's elements go; it must write all of them.
  /// - Throws: `AllocationError`, `CancellationError`, what `scratch` and `fill` throw.
  package init<Scratch>(
    count: Int, each: Int = 1, grain: Int, threads: Int, scratch: @Sendable @escaping () throws -> Scratch,
    fill: @Sendable @escaping (Range<Int>, UnsafeMutablePointer<Element>, inout Scratch) throws -> Void
  ) async throws {
    let storage = try ElementStorage<Element>(count: count * each)
    try await forEachIndex(count: (count + grain - 1) / grain, threads: threads, scratch: scratch) { part, scratch in
      let indices = part * grain..<min((part + 1) * grain, count)
      try fill(indices, storage.writable + indices.lowerBound * each, &scratch)
    }
    self.storage = storage
  }

  /// The same without private values.
  package init(
    count: Int, each: Int = 1, grain: Int, threads: Int,
    fill: @Sendable @escaping (Range<Int>, UnsafeMutablePointer<Element>) throws -> Void
  ) async throws {
    try await self.init(
      count: count, each: each, grain: grain, threads: threads, scratch: {},
      fill: { indices, target, _ in try fill(indices, target) })
  }

  /// - Throws: `AllocationError`.
  package init(_ elements: [Element]) throws(AllocationError) {
    storage = try ElementStorage(count: elements.count)
    storage.writable.update(from: elements, count: elements.count)
  }

  @inline(__always)
  package subscript(index: Int) -> Element {
    precondition(index >= 0 && index < count)
    return base[index]
  }

  /// Where the elements lie, as long as a copy of this value is kept.
  ///
  /// Computed, though that is a call in other modules: whatever is handed a stored pointer would not be seen to need the storage,
  /// which then is let go too early.
  @inline(__always)
  package var base: UnsafePointer<Element> { storage.base }
}

/// Owns the memory of `Elements`.
private final class ElementStorage<Element: BitwiseCopyable>: @unchecked Sendable {
  // Unchecked: tasks write disjoint parts, and nobody writes once `Elements` is made.
  let writable: UnsafeMutablePointer<Element>
  let count: Int
  private let samples: SampleStorage

  var base: UnsafePointer<Element> { UnsafePointer(writable) }

  init(count: Int) throws(AllocationError) {
    samples = try SampleStorage(byteCount: max(count, 1) * MemoryLayout<Element>.stride, budget: nil)
    writable = samples.base.bindMemory(to: Element.self, capacity: max(count, 1))
    self.count = count
  }
}
