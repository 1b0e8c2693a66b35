import Glibc

/// What a shell may bound so tightly (`ulimit`) that libraries end the program without a word.
enum ShellLimits {
  /// Files that are open at once: a few of the system's to wait with, and one for each task that reads.
  private static let files: rlim_t = 32
  /// Bytes of addresses: the libraries and the detector's networks take nearly all of them.
  private static let addresses: rlim_t = 720 << 20

  /// What is bounded too tightly, in words; nil where nothing is. Of files that may be opened for the asking, enough are asked for.
  static func tooTight() -> String? {
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < files {
      limit.rlim_cur = min(limit.rlim_max, 1024)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      if limit.rlim_cur < files {
        return "Only \(limit.rlim_cur) files may be open at once, and \(files) are needed. Raise the limit (ulimit -n)."
      }
    }
    if getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < addresses {
      return
        "Only \(limit.rlim_cur >> 20) MiB of addresses may be in use, and \(addresses >> 20) are needed even for small pictures. Raise the limit (ulimit -v)."
    }
    return nil
  }
}
