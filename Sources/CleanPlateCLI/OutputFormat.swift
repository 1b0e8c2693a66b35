import ArgumentParser
import Codecs
import Foundation

/// The format that a path's suffix names. Devices and pipes have no suffix; they get JPEG.
/// - Throws: `ValidationError` when it names none that can be written.
func outputFormat(_ path: String) throws -> ImageFormat {
  if let format = ImageFormat.forSuffix((path as NSString).pathExtension), format != .raw { return format }
  var information = stat()
  let exists = stat(path, &information) == 0
  if exists, information.st_mode & S_IFMT != S_IFREG, information.st_mode & S_IFMT != S_IFDIR { return .jpeg }
  throw ValidationError(
    "The suffix of '\(path)' names no format that can be written. Use .jpg, .png, .tif, .webp, .heic, .avif or .jxl.")
}
