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
    var pointer: UnsafeMutableRawPointer?
    guard posix_memalign(&pointer, length >= hugePage ? hugePage : 64, length) == 0, let pointer else {
      budget?.release(length)
      throw AllocationError.outOfMemory(bytes: length)
    }
    preferHugePages(pointer, length)
    base = pointer
    home = .heap
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
