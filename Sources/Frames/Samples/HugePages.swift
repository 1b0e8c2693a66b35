import Glibc

/// Bytes.
let hugePage = 2 << 20

/// Backs memory that nobody has written to by huge pages, as long as they come quickly.
///
/// Touching 12 megapixels small page by small page costs as much as copying them. A virtual machine's host, though,
/// may have taken free huge pages back, and then it takes longer to fetch one than to find room in small pages.
/// - Parameters:
///   - base: where it begins; what lies before the first huge page stays as it is.
///   - length: in bytes.
package func preferHugePages(_ base: UnsafeMutableRawPointer, _ length: Int) {
  let start = base.alignedUp(toMultipleOf: hugePage)
  let length = base + length - start
  guard length >= hugePage else { return }
  madvise(start, length, MADV_HUGEPAGE)
  // What a header promises need not come: no more is touched beforehand than is soon filled.
  for page in 0..<min(length / hugePage, 8) {
    let before = threadMicroseconds()
    (start + page * hugePage).storeBytes(of: 0, as: UInt8.self)
    guard threadMicroseconds() - before > slowMicroseconds else { continue }
    let rest = (page + 1) * hugePage
    if rest < length { madvise(start + rest, length - rest, MADV_NOHUGEPAGE) }
    return
  }
}

/// A huge page that takes longer comes more slowly than the same memory in small pages.
private let slowMicroseconds = 1500

/// Processor time, so that waiting for a processor does not count.
private func threadMicroseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
