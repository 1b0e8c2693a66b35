import Glibc

/// Bytes that planes share: written once by whoever fills a `PlaneBuilder`, read-only afterwards, freed with
/// the last plane that refers to them.
final class SampleStorage: @unchecked Sendable {
  /// Where the bytes live.
  enum Home {
    case heap
    /// An unlinked file, mapped; its pages can leave memory at any time and come back by themselves.
    case file
  }

  private static let hugePage = 2 << 20

  let base: UnsafeMutableRawPointer
  let byteCount: Int
  let home: Home
  private let budget: MemoryBudget?

  /// - Throws: `AllocationError` when neither memory nor the spill folder can hold `byteCount` bytes.
  init(byteCount: Int, budget: MemoryBudget?) throws(AllocationError) {
    let length = max(byteCount, 1)
    self.byteCount = length
    self.budget = budget
    if let budget, !budget.reserve(length) {
      base = try SpillFile.map(length, in: budget.spillFolder)
      home = .file
      return
    }
    let isLarge = length >= Self.hugePage
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, isLarge ? Self.hugePage : 64, length) == 0, let pointer else {
      budget?.release(length)
      throw AllocationError.outOfMemory(bytes: length)
    }
    if isLarge { Self.useHugePages(pointer, length) }
    base = pointer
    home = .heap
  }

  /// Backs memory by huge pages, as long as they come quickly.
  ///
  /// Touching 12 megapixels small page by small page costs as much as copying them. A virtual machine's host, though,
  /// may have taken free huge pages back, and then it takes longer to fetch one than to find room in small pages.
  private static func useHugePages(_ base: UnsafeMutableRawPointer, _ length: Int) {
    madvise(base, length, MADV_HUGEPAGE)
    // What a header promises need not come: no more is touched beforehand than is soon filled.
    for offset in stride(from: 0, to: min(length, 8 * hugePage) - hugePage + 1, by: hugePage) {
      let start = threadMicroseconds()
      (base + offset).storeBytes(of: 0, as: UInt8.self)
      guard threadMicroseconds() - start > slowMicroseconds else { continue }
      let rest = offset + hugePage
      if rest < length { madvise(base + rest, length - rest, MADV_NOHUGEPAGE) }
      return
    }
  }

  /// A huge page that takes longer comes more slowly than the same memory in small pages.
  private static let slowMicroseconds = 1500

  /// Processor time, so that waiting for a processor does not count.
  private static func threadMicroseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  deinit {
    switch home {
    case .heap:
      free(base)
      budget?.release(byteCount)
    case .file:
      munmap(base, byteCount)
    }
  }

  /// Lets all pages leave memory; only file-backed ones do, and nothing is lost: the file keeps what was written.
  func discardResidentPages() {
    guard home == .file else { return }
    madvise(base, byteCount, MADV_DONTNEED)
  }
}
