import Glibc
import SystemPackage

/// Standard input, output and error, any of which whoever started the program may have closed.
enum StandardStreams {
  /// Has something stand in place of those that are closed: whatever file is opened next would, and take what is printed.
  /// Reading or writing them fails as it did. To be called before files are opened.
  static func occupy() {
    // A file takes the first place that is empty, so that each finds its own.
    for (stream, mode) in [
      (FileDescriptor.standardInput, FileDescriptor.AccessMode.writeOnly), (.standardOutput, .readOnly),
      (.standardError, .readOnly),
    ] where fcntl(stream.rawValue, F_GETFD) < 0 {
      _ = try? FileDescriptor.open("/dev/null", mode)
    }
  }
}
