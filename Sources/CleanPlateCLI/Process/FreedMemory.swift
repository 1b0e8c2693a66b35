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
  /// Bytes that a heap is ahead of what is asked of it: as many as the largest has. With less, threads' heaps grow page by
  /// page, each time by a call to the kernel, and go back to it whole whenever nothing is left in them.
  private static let ahead: Int32 = 64 << 20

  /// Keeps it until the program ends. To be called before there are other threads.
  static func keep() {
    mallopt(M_MMAP_THRESHOLD, largest)
    mallopt(M_TRIM_THRESHOLD, end)
    mallopt(M_TOP_PAD, ahead)
    mallopt(M_ARENA_MAX, heaps)
  }
}
