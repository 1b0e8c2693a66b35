import CAllocator

/// What becomes of memory that is freed. The C library hands large blocks back to the kernel, which fills them with zeros,
/// page by page, when the next frame asks for as much.
enum FreedMemory {
  /// Bytes of the largest blocks that are kept for the next who asks; glibc takes no more.
  private static let largest: Int32 = 32 << 20
  /// Bytes at a heap's end that are kept: all.
  private static let end: Int32 = .max
  /// Heaps. What one thread has freed, another finds only in the same one.
  private static let heaps: Int32 = 2

  /// Keeps it until the program ends. To be called before there are other threads.
  static func keep() {
    mallopt(M_MMAP_THRESHOLD, largest)
    mallopt(M_TRIM_THRESHOLD, end)
    mallopt(M_ARENA_MAX, heaps)
  }
}
