import Frames

/// Finds the tag Orientation (0x0112) in the first directory of an Exif block and nothing else: decoding a
/// picture must not depend on the rest of its metadata being sound.
enum ExifOrientation {
  /// The orientation that `exif` (a TIFF header and its directories) names; `.up` when it names none.
  static func find(in exif: some RandomAccessCollection<UInt8>) -> Orientation {
    guard let directories = ExifDirectories(exif), let entry = directories.entry(0x0112) else { return .up }
    // Some writers store it as a long.
    return directories.number(entry).flatMap(Orientation.init(rawValue:)) ?? .up
  }
}
