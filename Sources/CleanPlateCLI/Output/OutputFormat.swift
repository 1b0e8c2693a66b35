import ArgumentParser
import CleanPlate
import Codecs
import Foundation
import SystemPackage

/// A format that is asked for by name.
struct FormatName: ExpressibleByArgument, Equatable {
  let format: ImageFormat

  /// - Parameter argument: a suffix.
  init?(argument: String) {
    guard let format = ImageFormat.forSuffix(argument), format != .raw else { return nil }
    self.format = format
  }

  static let allValueStrings = ["jpg", "png", "tif", "webp", "heic", "avif", "jxl"]
}

/// The format in which to write to a file: that which was asked for, else what the suffix names. Devices and pipes have no
/// suffix; they get JPEG.
/// - Throws: `ValidationError` when there is none that can be written, or two that differ.
func outputFormat(_ path: FilePath, _ asked: FormatName? = nil) throws -> ImageFormat {
  let named = ImageFormat.forSuffix(path.extension ?? "").flatMap { $0 == .raw ? nil : $0 }
  if let asked {
    guard named == nil || named == asked.format else {
      throw ValidationError("--format differs from what the suffix of '\(path.text)' names. Leave one of them out.")
    }
    return asked.format
  }
  if let named { return named }
  switch try? FileKind(path) {
  case .special: return .jpeg
  case .folder:
    throw ValidationError("'\(path.text)' is a folder. Name a file in it, such as \(path.appending("plate.jpg").text).")
  case .file, nil: break
  }
  throw ValidationError(
    "The suffix of '\(path.text)' names no format that can be written. Use .jpg, .png, .tif, .webp, .heic, .avif or .jxl."
  )
}

/// The same for a plate, which may go to standard output, too.
func plateFormat(_ path: FilePath, _ asked: FormatName?) throws -> ImageFormat {
  path.isStandardOutput ? asked?.format ?? .jpeg : try outputFormat(path, asked)
}

extension FilePath {
  /// Whether it stands for standard output, or for standard input where something is read. (`./-` is a file.)
  var isStandardOutput: Bool { self == "-" }
}

/// Writes a result to its file, whole or not at all, or to standard output.
/// - Throws: `FileError`.
func writeResult(_ bytes: [UInt8], to path: FilePath) throws {
  guard path.isStandardOutput else { return try writeAtomically(bytes, to: path) }
  do {
    try FileDescriptor.standardOutput.writeAll(bytes)
  } catch {
    throw FileError.cannotWrite(path: "standard output", errno: (error as? Errno)?.rawValue ?? EIO)
  }
}
